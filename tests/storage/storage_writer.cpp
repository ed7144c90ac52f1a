// A process that writes to a store until it is killed.
//   storage_writer hold FOLDER   opens it, says "ready", and keeps it until its input ends
//   storage_writer save FOLDER   takes checkpoints, one iteration after the other, and says
//                                each one's iteration when it is committed
//   storage_writer late FOLDER   takes one and says its iteration; once it is told to go on, it
//   takes
//                                the next one, and says that or "stale"
//   storage_writer enterN FOLDER takes one, and dies when the Nth table file was linked into it
//   storage_writer leaveN FOLDER keeps the newest, and dies before it deletes the Nth table file
//   storage_writer pruneN DIRECTORY keeps the newest of its stores, and dies likewise
//   storage_writer copyN FOLDER  copies from FOLDER/from to FOLDER/to/copy, and dies when the Nth
//                                table file was linked into it
//   storage_writer call FOLDER   carries out calls 1, 2, ... of a counter, and says each
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>

#include "storage/checkpoint_copy.hpp"
#include "storage/pruning.hpp"
#include "tests/storage/sample_checkpoint.hpp"

using namespace slime;
using namespace slime::storage;

namespace {

/// Table files still to be linked, and to be deleted, until this process dies.
int links_left = 0, deletions_left = 0;

void count_down(int& left, const char* path) {
  if (left > 0 && std::string_view(path).ends_with(".sst") && --left == 0) ::raise(SIGKILL);
}

}  // namespace

// In place of the C library's, for RocksDB to call.
extern "C" int link(const char* from, const char* to) noexcept {
  const int result = ::linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
  count_down(links_left, to);
  return result;
}
extern "C" int unlink(const char* path) noexcept {
  count_down(deletions_left, path);
  return ::unlinkat(AT_FDCWD, path, 0);
}

namespace {

constexpr std::uint64_t parameters = 24 * block_parameters + 5;

int fail(const Error& error) {
  std::cerr << to_string(error) << '\n';
  return 1;
}

void say(std::uint64_t number) {
  std::printf("%llu\n", static_cast<unsigned long long>(number));
  std::fflush(stdout);
}

int save_for_ever(CheckpointStore& store) {
  const auto ids = store.list();
  for (std::uint64_t k = ids.empty() ? 1 : ids.back().iteration + 1;; ++k) {
    auto status = tests::save(store, {1, k}, tests::numbers(parameters, k));
    if (!status) return fail(status.error());
    say(k);
    const auto kept = prune_run(store, {.newest = 2}, 0);
    if (!kept) return fail(kept.error());
  }
}

int count_for_ever(ActorStates states) {
  const auto found = states.get("counter");
  if (!found && found.error().code != Errc::not_found) return fail(found.error());
  for (std::uint64_t n = found ? found->state.data()[0] + 1 : 1;; ++n) {
    const auto words = runtime::Words::copy(std::as_bytes(std::span(&n, 1)));
    const StateChange change{"counter", words, {{std::to_string(n), words}}};
    auto status = states.put({&change, 1});
    if (!status) return fail(status.error());
    say(n);
  }
}

std::uint64_t next_iteration(const CheckpointStore& store) {
  return store.list().empty() ? 1 : store.list().back().iteration + 1;
}

int save_once(CheckpointStore& store) {
  const std::uint64_t k = next_iteration(store);
  const auto status = tests::save(store, {1, k}, tests::numbers(parameters, k));
  return status ? 0 : fail(status.error());
}

int save_late(CheckpointStore& store) {
  for (bool first = true;; first = false) {
    const std::uint64_t k = next_iteration(store);
    const auto status = tests::save(store, {1, k}, tests::numbers(parameters, k));
    if (!status && status.error().code == Errc::stale) std::cout << "stale" << std::endl;
    if (!status) return fail(status.error());
    say(k);
    if (!first) return 0;
    std::cin.get();
  }
}

int copy_newest(const std::filesystem::path& folder, int links) {
  const auto stores = std::make_shared<OpenedStores>(folder / "from");
  const auto head = stores->of("head");
  if (!head) return fail(head.error());
  auto destination = CheckpointStore::open(folder / "to" / "copy", OpenMode::create);
  if (!destination) return fail(destination.error());
  links_left = links;
  const auto copied = copy_checkpoint(stores, (*head)->manifest((*head)->list().back()).value(),
                                      *destination, [] { return false; });
  return copied ? 0 : fail(copied.error());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string verb = argv[1];
  if (verb.starts_with("prune")) {
    deletions_left = std::stoi(verb.substr(5));
    return prune_stores(argv[2], {.newest = 1}) ? 0 : 1;
  }
  if (verb.starts_with("copy")) return copy_newest(argv[2], std::stoi(verb.substr(4)));
  auto store = CheckpointStore::open(argv[2], OpenMode::create);
  if (!store) return fail(store.error());
  if (verb == "save") return save_for_ever(*store);
  if (verb == "late") return save_late(*store);
  if (verb.starts_with("enter")) {
    links_left = std::stoi(verb.substr(5));
    return save_once(*store);
  }
  if (verb.starts_with("leave")) {
    deletions_left = std::stoi(verb.substr(5));
    return prune_run(*store, {.newest = 1}, 0) ? 0 : 1;
  }
  if (verb == "call") return count_for_ever(store->actor_states());
  std::cout << "ready" << std::endl;
  std::cin.get();
  return 0;
}
