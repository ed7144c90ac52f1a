#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "runtime/base/error.hpp"
#include "runtime/link/frame.hpp"
#include "runtime/link/link_settings.hpp"
#include "runtime/wire/words.hpp"

namespace slime::runtime {

/// What a dialler says of itself, its secrets checked already.
struct Hello {
  PeerIdentity peer;
  std::size_t credit_bytes = 0;    ///< What may be in flight towards the dialler.
  std::uint64_t last_session = 0;  ///< The one it last had with us; 0: none.
  bool probe = false;              ///< It does not know whom it dialled.
};

/// What an acceptor answers.
struct Welcome {
  PeerIdentity peer;
  bool duplicate = false;     ///< We are connected already, or the acceptor's own dial will do.
  std::uint64_t session = 0;  ///< Names the connection; 0 with `duplicate`.
  std::size_t credit_bytes = 0;
};

/// Errors: incompatible (not our protocol, or another version; says both), corruption (too long).
Status check_preamble(const Preamble& preamble);

/// Whole openings, preamble included.
Words make_hello(const LinkSettings& settings, std::uint64_t last_session, bool probe);
Words make_accepted(const LinkSettings& settings, std::uint64_t session);
Words make_duplicate(const LinkSettings& settings);
/// @param trusted  The dialler showed the token, so it may see ours.
Words make_refused(const LinkSettings& settings, const Error& why, bool trusted);
/// A preamble alone: what someone of another version gets before it is closed on.
Words make_bare_preamble();

/// Reads what followed the preamble and checks it against our settings.
/// Errors: refused (another cluster or token: says which), incompatible (another message limit),
/// corruption; for a welcome also what the acceptor refused us for.
Result<Hello> read_hello(const LinkSettings& settings, std::span<const std::uint64_t> words);
Result<Welcome> read_welcome(const LinkSettings& settings, std::span<const std::uint64_t> words);

}  // namespace slime::runtime
