#include "tools/slime/settings/job_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <string>

#include "tools/slime/settings/objections.hpp"

namespace slime::tools {

namespace {

constexpr std::size_t name_bytes_max = 64;

std::string_view view(capnp::Text::Reader text) {
  return {text.begin(), text.size()};
}

/// The rules, one function for each table of the job.
class JobRules : private Objections {
 public:
  JobRules(schema::JobSpec::Reader job, const KnownNames& known, const Origins& origins)
      : Objections(origins), job_(job), known_(known) {}

  Status check() const {
    for (const auto rule : {&JobRules::naming, &JobRules::sizes, &JobRules::sync,
                            &JobRules::balance, &JobRules::model_and_optimizer, &JobRules::data,
                            &JobRules::checkpoint, &JobRules::emulation, &JobRules::events})
      if (Status sound = (this->*rule)(); !sound) return sound;
    return ok();
  }

 private:
  Status naming() const {
    const std::string_view name = view(job_.getName());
    if (name.empty()) return broken("name", "the job needs a name, such as name = \"mnist\"");
    const auto fits = [](char letter) {
      return std::isalnum(static_cast<unsigned char>(letter)) ||
             std::string_view("._-").find(letter) != std::string_view::npos;
    };
    if (name.size() > name_bytes_max || name.front() == '.' ||
        !std::all_of(name.begin(), name.end(), fits))
      return broken("name",
                    "it names files: use at most 64 letters, digits, '.', '_' and '-', and "
                    "no '.' in front");
    return ok();
  }

  Status sizes() const {
    const std::uint32_t batch = job_.getBatch();
    const std::uint32_t block = job_.getBlock();
    if (batch < block || batch % block != 0)
      return broken("batch",
                    fmt::format("it must be a multiple of block, which is {}; found {}: use "
                                "{} or another block",
                                block, batch, std::max(block, batch / block * block)));
    const unsigned targets = job_.getTargetAccuracies().size();
    if (targets <= targets_max) return ok();
    return broken(
        "target_accuracies",
        fmt::format("at most {} can be reported; found {}: leave some out", targets_max, targets));
  }

  Status sync() const {
    const std::string_view mode = view(job_.getSync().getMode());
    const std::string_view policy = view(job_.getBalance().getPolicy());
    if (Status found = known_word("sync.mode", mode, known_.modes); !found) return found;
    if (Status found = known_word("balance.policy", policy, known_.policies); !found) return found;
    const auto staleness = job_.getSync();
    if (mode == "dssp" && staleness.getStalenessMin() > staleness.getStalenessMax())
      return broken("sync.staleness_min",
                    fmt::format("dssp chooses between it and sync.staleness_max, which is {}; "
                                "found {}",
                                staleness.getStalenessMax(), staleness.getStalenessMin()));
    if (mode == "a_dsp" && policy != "adapt_fr")
      return broken("balance.policy", fmt::format("mode a_dsp means adapt_fr; found \"{}\": choose "
                                                  "another mode to use it",
                                                  policy));
    return ok();
  }

  Status balance() const {
    const auto spec = job_.getBalance();
    const std::string_view policy = view(spec.getPolicy());
    const unsigned shares = spec.getFixedShares().size();
    if (shares != 0 && shares != job_.getWorkers())
      return broken("balance.fixed_shares",
                    fmt::format("one share for each of the {} workers is wanted, or none; found {}",
                                job_.getWorkers(), shares));
    if (shares != 0 && policy != "fixed")
      return broken("balance.fixed_shares",
                    fmt::format("only policy \"fixed\" looks at it; found \"{}\"", policy));
    if (policy == "oracle" && !(job_.getEmulate().getSampleUs() > 0))
      return broken("balance.policy",
                    "the oracle is told the declared speeds, and the job declares none: set "
                    "emulate.sample_us, or choose another policy");
    if ((policy == "flex_rr" || policy == "backup_workers") && !spec.getFastReassignment())
      return broken(
          "balance.fast_reassignment",
          fmt::format("{} is equal shares without it: leave it on, or choose equal", policy));
    return ok();
  }

  Status model_and_optimizer() const {
    const auto layers = job_.getModel().getLayers();
    if (layers.size() == 0)
      return broken("model.layers", "the model needs layers, such as [\"dense 10\"]");
    for (const auto layer : layers) {
      const std::string_view text = view(layer);
      const std::string_view kind = text.substr(0, text.find(' '));
      if (Status found = known_word("model.layers", kind, known_.layers); !found) return found;
    }
    return known_word("optimizer.kind", view(job_.getOptimizer().getKind()), known_.optimizers);
  }

  Status files(std::string_view setting, capnp::List<capnp::Text>::Reader names) const {
    if (names.size() != 2)
      return broken(setting,
                    fmt::format("two files are wanted, images and labels; found {}", names.size()));
    for (const auto name : names)
      if (name.size() == 0) return broken(setting, "a file name is empty");
    return ok();
  }

  Status data() const {
    const auto spec = job_.getData();
    if (Status found = known_word("data.format", view(spec.getFormat()), known_.formats); !found)
      return found;
    if (Status sound = files("data.train", spec.getTrain()); !sound) return sound;
    return files("data.test", spec.getTest());
  }

  Status checkpoint() const {
    const auto spec = job_.getCheckpoint();
    if (Status sound = checkpoint_interval(spec); !sound) return sound;
    if (spec.getDirectory().size() > 0 && view(spec.getDirectory()) == view(spec.getCopyTo()))
      return broken("checkpoint.copy_to",
                    "that is checkpoint.directory; name another folder, on another disk");
    // An empty one that somebody has set means none: so one run goes without, whatever its file
    // says.
    if (spec.getDirectory().size() > 0 || was_set("checkpoint.directory")) return ok();
    constexpr std::string_view why =
        "checkpoints need a folder: set checkpoint.directory (\"\" for no checkpoints), or leave "
        "this "
        "out";
    if (spec.getEveryIterations() > 0) return broken("checkpoint.every_iterations", why);
    if (spec.getEverySeconds() > 0) return broken("checkpoint.every_seconds", why);
    if (spec.getInterval() == schema::CheckpointInterval::COMPUTED)
      return broken("checkpoint.interval", why);
    if (spec.getCopyTo().size() > 0) return broken("checkpoint.copy_to", why);
    return ok();
  }

  Status checkpoint_interval(schema::Checkpoint::Reader spec) const {
    if (spec.getInterval() == schema::CheckpointInterval::COMPUTED) {
      constexpr std::string_view why =
          "checkpoint.interval = \"computed\" says when checkpoints are due: leave one of them out";
      if (spec.getEveryIterations() > 0) return broken("checkpoint.every_iterations", why);
      if (spec.getEverySeconds() > 0) return broken("checkpoint.every_seconds", why);
      return ok();
    }
    for (const std::string_view setting :
         {"checkpoint.seconds_between_failures", "checkpoint.overhead_max"})
      if (was_set(setting))
        return broken(setting,
                      "only checkpoint.interval = \"computed\" looks at it: set that, too");
    return ok();
  }

  Status emulation() const {
    const auto spec = job_.getEmulate();
    const unsigned speeds = spec.getSpeeds().size();
    if (speeds != 0 && speeds != job_.getWorkers())
      return broken("emulate.speeds", fmt::format("one speed for each of the {} workers is wanted, "
                                                  "or none; found {}",
                                                  job_.getWorkers(), speeds));
    if (spec.getSampleUs() > 0) return ok();
    constexpr std::string_view why =
        "it has no effect while emulate.sample_us is 0: set the time per sample as well";
    if (speeds > 0) return broken("emulate.speeds", why);
    if (spec.getNoise() > 0) return broken("emulate.noise", why);
    if (spec.getFixedUs() > 0) return broken("emulate.fixed_us", why);
    if (spec.getTailChance() > 0) return broken("emulate.tail_chance", why);
    if (spec.getStalls().size() > 0) return broken("emulate.stalls", why);
    if (spec.getChanges().size() > 0) return broken("emulate.changes", why);
    return ok();
  }

  Status worker_exists(std::string_view setting, std::uint32_t worker) const {
    if (worker < job_.getWorkers()) return ok();
    return broken(setting, fmt::format("worker {} does not exist: workers count from 0 to {}",
                                       worker, job_.getWorkers() - 1));
  }

  Status events() const {
    for (const auto stall : job_.getEmulate().getStalls())
      if (Status sound = worker_exists("emulate.stalls", stall.getWorker()); !sound) return sound;
    for (const auto change : job_.getEmulate().getChanges()) {
      if (Status sound = worker_exists("emulate.changes", change.getWorker()); !sound) return sound;
      // Left out it reads as 0, which would stop the worker for ever.
      if (!(change.getSpeed() > 0)) return broken("emulate.changes", "each needs a speed above 0");
    }
    return ok();
  }

  schema::JobSpec::Reader job_;
  const KnownNames& known_;
};

}  // namespace

Status check_job(schema::JobSpec::Reader job, const KnownNames& known, const Origins& origins) {
  return JobRules(job, known, origins).check();
}

}  // namespace slime::tools
