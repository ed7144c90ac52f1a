#include "runtime/link/handshake.hpp"

#include <capnp/serialize.h>
#include <kj/exception.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "runtime/wire/address.hpp"
#include "runtime/wire/message.hpp"
#include "schemas/link.capnp.h"

namespace slime::runtime {

namespace {

// A reason of any length must leave a handshake that the other side accepts.
constexpr std::size_t refusal_bytes_max = std::size_t{handshake_words_max} * 8 / 4;

// Hashing first makes the comparison independent of the lengths too.
bool same_token(std::string_view ours, std::string_view theirs) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> a;
  std::array<unsigned char, SHA256_DIGEST_LENGTH> b;
  SHA256(reinterpret_cast<const unsigned char*>(ours.data()), ours.size(), a.data());
  SHA256(reinterpret_cast<const unsigned char*>(theirs.data()), theirs.size(), b.data());
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

kj::StringPtr text(const std::string& string) {
  return {string.c_str(), string.size()};
}
std::string_view view(capnp::Text::Reader text) {
  return {text.begin(), text.size()};
}

Words with_preamble(const Words& body) {
  Block* block = acquire_block(2 + body.count());
  Preamble preamble;
  preamble.words = static_cast<std::uint32_t>(body.count());
  std::memcpy(block->words(), &preamble, sizeof preamble);
  if (body.count() > 0) std::memcpy(block->words() + 2, body.data(), body.bytes());
  return Words::adopt(block, 0, 2 + body.count());
}

template <class Opening>
void write_self(Opening&& out, const LinkSettings& settings, bool trusted) {
  out.setClusterId(text(settings.cluster_id));
  if (trusted) out.setToken(text(settings.token));
  write_node(out.initNode(), settings.self.node);
  out.setIncarnation(settings.self.incarnation);
  out.setName(text(settings.self.name));
}

template <class Opening>
PeerIdentity read_peer(const Opening& in) {
  return {read_node(in.getNode()), in.getIncarnation(), std::string(view(in.getName()))};
}

template <class Opening>
Status check_secrets(const LinkSettings& settings, const Opening& in) {
  if (view(in.getClusterId()) != settings.cluster_id)
    return Error{Errc::refused, "another cluster: '" + settings.cluster_id + "' here, '" +
                                    std::string(view(in.getClusterId())) + "' there"};
  if (!same_token(settings.token, view(in.getToken())))
    return Error{Errc::refused, "another token"};
  if (!read_node(in.getNode())) return Error{Errc::corruption, "the other side names no node"};
  return ok();
}

Status check_limit(const LinkSettings& settings, std::uint64_t theirs) {
  if (theirs == settings.message_bytes_max) return ok();
  return Error{Errc::incompatible,
               "another limit on messages: " + std::to_string(settings.message_bytes_max) +
                   " bytes here, " + std::to_string(theirs) + " there"};
}

// The one place where handshakes are read, so that what Cap'n Proto throws is translated once.
template <class Schema, class Use>
auto read_opening(std::span<const std::uint64_t> words, Use&& use)
    -> decltype(use(std::declval<typename Schema::Reader>())) {
  try {
    capnp::FlatArrayMessageReader reader(
        kj::arrayPtr(reinterpret_cast<const capnp::word*>(words.data()), words.size()),
        reader_options(words.size()));
    return use(reader.getRoot<Schema>());
  } catch (const kj::Exception& e) {
    return Error{Errc::corruption, std::string("it is malformed: ") + e.getDescription().cStr()};
  }
}

template <class Fill>
Words make_welcome(const LinkSettings& settings, bool trusted, Fill&& fill) {
  return with_preamble(Message<schema::LinkWelcome>::make([&](schema::LinkWelcome::Builder out) {
                         write_self(out, settings, trusted);
                         fill(out);
                       }).words());
}

}  // namespace

Status check_preamble(const Preamble& preamble) {
  if (preamble.magic != Preamble::magic_value)
    return Error{Errc::incompatible, "the other side does not speak this protocol"};
  if (preamble.version != Preamble::current_version)
    return Error{Errc::incompatible,
                 "another version of the protocol: " + std::to_string(Preamble::current_version) +
                     " here, " + std::to_string(preamble.version) + " there"};
  if (preamble.words == 0 || preamble.words > handshake_words_max)
    return Error{Errc::corruption, "a handshake of " + std::to_string(preamble.words) + " words"};
  return ok();
}

Words make_bare_preamble() {
  return with_preamble({});
}

Words make_hello(const LinkSettings& settings, std::uint64_t last_session, bool probe) {
  return with_preamble(Message<schema::LinkHello>::make([&](schema::LinkHello::Builder out) {
                         write_self(out, settings, true);
                         out.setMessageBytesMax(settings.message_bytes_max);
                         out.setCreditBytes(settings.credit_bytes);
                         out.setLastSession(last_session);
                         out.setProbe(probe);
                       }).words());
}

Words make_accepted(const LinkSettings& settings, std::uint64_t session) {
  return make_welcome(settings, true, [&](schema::LinkWelcome::Builder out) {
    auto accepted = out.initAccepted();
    accepted.setSession(session);
    accepted.setMessageBytesMax(settings.message_bytes_max);
    accepted.setCreditBytes(settings.credit_bytes);
  });
}

Words make_duplicate(const LinkSettings& settings) {
  return make_welcome(settings, true, [](schema::LinkWelcome::Builder out) { out.setDuplicate(); });
}

Words make_refused(const LinkSettings& settings, const Error& why, bool trusted) {
  return make_welcome(settings, trusted, [&](schema::LinkWelcome::Builder out) {
    auto refused = out.initRefused();
    refused.setCode(static_cast<std::uint8_t>(why.code));
    refused.setContext(text(shortened(why.context, refusal_bytes_max)));
  });
}

Result<Hello> read_hello(const LinkSettings& settings, std::span<const std::uint64_t> words) {
  return read_opening<schema::LinkHello>(words, [&](schema::LinkHello::Reader in) -> Result<Hello> {
    if (Status same = check_secrets(settings, in); !same) return same.error();
    if (Status same = check_limit(settings, in.getMessageBytesMax()); !same) return same.error();
    return Hello{read_peer(in), in.getCreditBytes(), in.getLastSession(), in.getProbe()};
  });
}

Result<Welcome> read_welcome(const LinkSettings& settings, std::span<const std::uint64_t> words) {
  return read_opening<schema::LinkWelcome>(
      words, [&](schema::LinkWelcome::Reader in) -> Result<Welcome> {
        if (in.isRefused()) {
          const auto refused = in.getRefused();
          return Error{static_cast<Errc>(refused.getCode()),
                       "the other side refuses: " + std::string(view(refused.getContext()))};
        }
        if (Status same = check_secrets(settings, in); !same) return same.error();
        Welcome welcome{read_peer(in), in.isDuplicate()};
        if (welcome.duplicate) return welcome;
        const auto accepted = in.getAccepted();
        if (Status same = check_limit(settings, accepted.getMessageBytesMax()); !same)
          return same.error();
        welcome.session = accepted.getSession();
        welcome.credit_bytes = accepted.getCreditBytes();
        return welcome;
      });
}

}  // namespace slime::runtime
