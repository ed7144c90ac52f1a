#include <algorithm>
#include <string>
#include <utility>

#include "actors/training/parameter_shard.hpp"
#include "runtime/wire/lists.hpp"

namespace slime::actors {

using runtime::as_floats;

namespace {

// Of 4 MiB: small enough for other messages to overtake, and few enough round trips.
constexpr std::size_t piece_floats = std::size_t{1} << 20;

}  // namespace

void ParameterShardActor::begin_mirror() {
  link_->begun = true;
  std::uint32_t piece = 0;
  const auto add = [&](std::size_t bytes, auto&& fill) {
    const auto message = Message<schema::Mirror>::make(
        [&](schema::Mirror::Builder root) {
          root.setTerm(term_);
          root.setPiece(piece++);
          fill(root);
        },
        bytes / 8 + 64);
    forward(message, message.words().bytes(), true);
  };
  for (std::uint32_t slot = 0; slot <= state_->slots().size(); ++slot) {
    const auto all = slot == 0 ? state_->values() : std::span(state_->slots()[slot - 1]);
    for (std::size_t first = 0; first < all.size(); first += piece_floats) {
      const auto values = all.subspan(first, std::min(piece_floats, all.size() - first));
      add(values.size_bytes(), [&](schema::Mirror::Builder root) {
        root.setSlot(slot);
        root.setFirst(first);
        root.setValues(bytes_of(values));
      });
    }
  }
  const auto groups = state_->groups();
  const auto& last = state_->last_commit();
  std::size_t blocks = 0;
  for (const auto& group : groups) blocks += group.blocks.size();
  const std::size_t listed = 4 * blocks + 32 * groups.size() + 8 * last.size();
  add(listed, [&](schema::Mirror::Builder root) {
    auto whole = root.initWhole();
    whole.setVersion(state_->version());
    write_groups(whole.initGroups(static_cast<unsigned>(groups.size())), groups);
    whole.setLastCommit(kj::arrayPtr(last.data(), last.size()));
  });
  link_->mirror_end = link_->newest;
  send_forwards();
}

void ParameterShardActor::mirror(const Message<schema::Mirror>& request,
                                 Reply<schema::Mirrored> reply) {
  request.read([&](schema::Mirror::Reader read) {
    if (read.getTerm() < term_)
      return reply.fail(Error{Errc::stale, "the shard obeys term " + std::to_string(term_)});
    if (!stands_by_)
      return reply.fail(Error{Errc::invalid_argument, "the shard stands by for nobody"});
    if (read.getTerm() > term_) {
      term_ = read.getTerm();
      next_piece_ = 0;
    }
    // Repeated: its answer was lost.
    if (read.getPiece() < next_piece_) return reply.send(Message<schema::Mirrored>::make());
    if (read.getPiece() > next_piece_)
      return reply.fail(Error{Errc::unavailable, "a piece before it is missing"});
    if (const Status taken = take_piece(read); !taken) return reply.fail(taken.error());
    ++next_piece_;
    reply.send(Message<schema::Mirrored>::make());
  });
}

Status ParameterShardActor::take_piece(schema::Mirror::Reader piece) {
  if (piece.getPiece() == 0) {
    const auto shard_rules = rules();
    if (!shard_rules) return shard_rules.error();
    state_.reset();
    current_.reset();
    mirrored_.assign(1 + shard_rules->optimizer->slots(), std::vector<float>(range_.count));
  }
  const auto values = as_floats(piece.getValues());
  if (piece.getSlot() >= mirrored_.size() || piece.getFirst() > range_.count ||
      values.size() > range_.count - piece.getFirst())
    return Error{Errc::invalid_argument, "a piece of " + std::to_string(values.size()) +
                                             " values at " + std::to_string(piece.getFirst()) +
                                             " of slot " + std::to_string(piece.getSlot()) +
                                             " is not within the shard's " +
                                             std::to_string(range_.count)};
  std::ranges::copy(
      values, mirrored_[piece.getSlot()].begin() + static_cast<std::ptrdiff_t>(piece.getFirst()));
  return piece.hasWhole() ? take_whole(piece.getWhole()) : ok();
}

Status ParameterShardActor::take_whole(schema::MirroredState::Reader whole) {
  auto slots = std::exchange(mirrored_, {});
  auto values = std::move(slots.front());
  slots.erase(slots.begin());
  Status created = create(whole.getVersion(), std::move(values), std::move(slots));
  if (!created) return created;
  std::vector<trainer::Group> groups;
  for (const auto record : whole.getGroups())
    groups.push_back({record.getGroup(), record.getIteration(),
                      runtime::to_vector<std::uint32_t>(record.getBlocks())});
  Status taken =
      state_->take_over(groups, runtime::to_vector<trainer::GroupId>(whole.getLastCommit()));
  if (!taken) {
    state_.reset();
    return taken;
  }
  preparation_ = ok();
  return ok();
}

}  // namespace slime::actors
