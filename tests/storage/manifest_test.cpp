#include "storage/manifest.hpp"

#include <boost/test/unit_test.hpp>

#include "storage/checksum.hpp"
#include "storage/part_record.hpp"
#include "tests/storage/sample_checkpoint.hpp"

using namespace slime;
using namespace slime::storage;

namespace manifest_test {

const CheckpointId id{2, 30};

Manifest sample(const std::string& second_node = "b", std::uint64_t second_first = block_parameters,
                std::uint64_t second_count = 10) {
  const std::string nodes[] = {"a", second_node};
  const PartInfo parts[] = {{"part a", 1, 0, block_parameters, 0, 0},
                            {"part b", 2, second_first, second_count, 0, 0}};
  return tests::manifest_of(id, nodes, parts);
}

}  // namespace manifest_test

BOOST_AUTO_TEST_SUITE(manifest_test)

BOOST_AUTO_TEST_CASE(a_manifest_comes_back) {
  const Manifest manifest = sample();
  BOOST_TEST(bool(check(manifest)));
  const auto read = decode_manifest(manifest_key(id), encode(manifest));
  BOOST_REQUIRE(bool(read));
  BOOST_TEST((id_of(*read) == id));
  BOOST_TEST(parameters_of(*read) == block_parameters + 10);
  BOOST_TEST(read->read([](auto root) { return root.getAccuracy() != root.getAccuracy(); }));
}

BOOST_AUTO_TEST_CASE(gaps_overlaps_and_impossible_nodes_are_refused) {
  const Manifest wrong[] = {sample("b", 2 * block_parameters),
                            sample("b", 0),
                            sample("b", block_parameters, 0),
                            sample("b", block_parameters, ~0ULL),
                            sample(".."),
                            sample("../a"),
                            sample("")};
  for (const auto& manifest : wrong) {
    BOOST_TEST((check(manifest).error().code == Errc::invalid_argument));
    BOOST_TEST(
        (decode_manifest(manifest_key(id), encode(manifest)).error().code == Errc::corruption));
  }
  BOOST_TEST(!check(Manifest()));
}

BOOST_AUTO_TEST_CASE(tensors_must_fill_the_model) {
  const auto with_tensor = [](std::initializer_list<std::uint64_t> shape, std::uint64_t offset) {
    return Manifest::make([&](schema::CheckpointManifest::Builder root) {
      auto part = root.initParts(1)[0];
      part.setNode("a");
      part.setCount(12);
      auto tensor = root.initTensors(1)[0];
      tensor.setOffset(offset);
      auto extents = tensor.initShape(static_cast<unsigned>(shape.size()));
      for (unsigned i = 0; i < shape.size(); ++i) extents.set(i, shape.begin()[i]);
    });
  };
  BOOST_TEST(bool(check(with_tensor({3, 4}, 0))));
  BOOST_TEST(!check(with_tensor({3, 5}, 0)));
  BOOST_TEST(!check(with_tensor({3, 4}, 1)));
  BOOST_TEST(!check(with_tensor({0, 4}, 0)));
  BOOST_TEST(!check(with_tensor({1ULL << 40, 1ULL << 40, 12}, 0)));
}

BOOST_AUTO_TEST_CASE(damage_and_another_checkpoints_manifest_are_found) {
  const std::string entry = encode(sample()), key = manifest_key(id);
  BOOST_TEST(!decode_manifest(manifest_key({2, 31}), entry));
  for (std::size_t at = 8; at < entry.size(); at += 3) {
    std::string damaged = entry;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    const auto read = decode_manifest(key, damaged);
    BOOST_REQUIRE(!read);
    BOOST_TEST(read.error().context.find(key) != std::string::npos);
  }
}

// Goal: words with a right checksum are not trusted either. Method: spoil each word of a manifest
// in turn and seal it again; what decodes must be readable to its last pointer.
BOOST_AUTO_TEST_CASE(hostile_words_are_refused_or_harmless) {
  const Manifest manifest = sample();
  const auto* first = manifest.words().data();
  std::size_t refused = 0;
  for (std::size_t at = 0; at < manifest.words().count(); ++at)
    for (int bit = 0; bit < 64; ++bit) {
      std::vector<std::uint64_t> words(first, first + manifest.words().count());
      words[at] ^= 1ULL << bit;
      const auto read = decode_manifest(
          manifest_key(id), seal(runtime::Words::copy(std::as_bytes(std::span(words)))));
      if (read)
        BOOST_TEST(bool(check(*read)));
      else
        ++refused;
    }
  BOOST_TEST(refused > manifest.words().count());
}

BOOST_AUTO_TEST_SUITE_END()
