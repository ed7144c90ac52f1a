#include "tools/slime/run_result.hpp"

#include <fmt/format.h>

#include "tools/slime/json_text.hpp"

namespace slime::tools {

namespace {

std::string usage_json(const WorkerUsage& usage) {
  return JsonObject()
      .number("cpu_seconds", usage.cpu_seconds)
      .number("steal_fraction", usage.steal_fraction)
      .number("run_queue", usage.run_queue)
      .number("memory_bytes", usage.memory_bytes)
      .number("bytes_in", usage.bytes_in)
      .number("bytes_out", usage.bytes_out)
      .str();
}

std::string workers_json(const RunResult& result) {
  std::string list;
  for (const WorkerResult& worker : result.workers_detail) {
    if (!list.empty()) list += ',';
    JsonObject object;
    object.number("id", worker.id)
        .number("samples", worker.samples)
        .number("share", worker.share)
        .number("idle_fraction", worker.idle_fraction);
    if (worker.usage) object.raw("usage", usage_json(*worker.usage));
    list += object.str();
  }
  return "[" + list + "]";
}

std::string checkpoints_json(const CheckpointReport& checkpoints) {
  JsonObject object;
  object.number("late", checkpoints.late)
      .optional("lost_seconds", checkpoints.lost_seconds)
      .optional("write_seconds", checkpoints.write_seconds)
      .optional("interval_seconds", checkpoints.interval_seconds)
      .optional("seconds_between_failures", checkpoints.seconds_between_failures);
  checkpoints.copied ? object.number("copied", *checkpoints.copied) : object.null("copied");
  return object.number("copies_failed", checkpoints.copies_failed).str();
}

std::string checkpoints_text(const CheckpointReport& checkpoints) {
  std::string text;
  if (checkpoints.lost_seconds)
    text += fmt::format("  a checkpoint cost {:.3f} s of training\n", *checkpoints.lost_seconds);
  if (checkpoints.interval_seconds)
    text +=
        fmt::format("  one every {:.1f} s, as computed, at last\n", *checkpoints.interval_seconds);
  if (checkpoints.late > 0)
    text += fmt::format("  {} came late, while another was being written\n", checkpoints.late);
  if (checkpoints.copied)
    text +=
        fmt::format("  that of iteration {} was copied to the second place\n", *checkpoints.copied);
  if (checkpoints.copies_failed > 0)
    text += fmt::format("  {} copies failed\n", checkpoints.copies_failed);
  return text;
}

}  // namespace

std::string times_json(const TargetTimes& times) {
  JsonObject object;
  for (const auto& [target, seconds] : times) object.optional(json_number(target), seconds);
  return object.str();
}

std::string result_json(const RunResult& result) {
  JsonObject object;
  object.boolean("ok", true)
      .text("name", result.name)
      .text("mode", result.mode)
      .text("balance", result.balance)
      .number("workers", result.workers)
      .number("shards", result.shards)
      .number("epochs", result.epochs)
      .number("iterations", result.iterations)
      .number("samples", result.samples)
      .number("seconds", result.seconds)
      .number("test_accuracy", result.test_accuracy)
      .number("test_loss", result.test_loss)
      .text("parameters_sha256", result.parameters_sha256)
      .raw("time_to_accuracy", times_json(result.seconds_to_accuracy))
      .optional("makespan_ratio", result.makespan_ratio)
      .raw("workers_detail", workers_json(result))
      .raw("checkpoints", checkpoints_json(result.checkpoints));
  if (result.resumed_from)
    object.number("resumed_from", *result.resumed_from);
  else
    object.null("resumed_from");
  result.record.empty() ? object.null("record") : object.text("record", result.record);
  return object.str();
}

std::string result_text(const RunResult& result) {
  std::string text = fmt::format(
      "{}: test accuracy {:.4f}, test loss {:.4f}\n"
      "  {} epochs, {} iterations, {} samples in {:.1f} s: {:.0f} images/s\n"
      "  mode {}, balance {}, {} workers, {} shards\n",
      result.name, result.test_accuracy, result.test_loss, result.epochs, result.iterations,
      result.samples, result.seconds,
      result.seconds > 0 ? static_cast<double>(result.run_samples) / result.seconds : 0.0,
      result.mode, result.balance, result.workers, result.shards);
  if (result.makespan_ratio)
    text += fmt::format("  {:.3f} times the ideal time of the declared speeds\n",
                        *result.makespan_ratio);
  for (const auto& [target, seconds] : result.seconds_to_accuracy)
    text += seconds ? fmt::format("  accuracy {} after {:.1f} s\n", target, *seconds)
                    : fmt::format("  accuracy {} not reached\n", target);
  for (const WorkerResult& worker : result.workers_detail)
    text += fmt::format("  worker {}: {} samples, share {:.1f} %, idle {:.1f} %\n", worker.id,
                        worker.samples, worker.share * 100, worker.idle_fraction * 100);
  text += checkpoints_text(result.checkpoints);
  if (result.resumed_from)
    text += fmt::format("  resumed from the checkpoint of iteration {}\n", *result.resumed_from);
  if (!result.record.empty()) text += fmt::format("  record {}\n", result.record);
  return text + fmt::format("  parameters sha256 {}\n", result.parameters_sha256);
}

}  // namespace slime::tools
