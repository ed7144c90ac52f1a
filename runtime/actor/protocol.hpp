#pragma once

#include <type_traits>

#include "runtime/base/ids.hpp"

namespace slime::runtime {

/// A message that is told: no answer.
template <class Request>
struct Tell {};
/// A message that is asked and its answer.
template <class Request, class Answer>
struct Ask {};

namespace detail {

template <class Request, class... Entries>
struct AnswerOf {
  using type = void;
};
template <class Request, class Answer, class... Rest>
struct AnswerOf<Request, Ask<Request, Answer>, Rest...> {
  using type = Answer;
};
template <class Request, class First, class... Rest>
struct AnswerOf<Request, First, Rest...> : AnswerOf<Request, Rest...> {};

}  // namespace detail

/// What an actor understands: its whole public interface.
template <class... Entries>
struct Protocol {
  template <class Request>
  static constexpr bool tells = (std::is_same_v<Entries, Tell<Request>> || ...);
  /// The answer to `Request`, or void when it is not asked.
  template <class Request>
  using Answer = typename detail::AnswerOf<Request, Entries...>::type;
  template <class Request>
  static constexpr bool asks = !std::is_void_v<Answer<Request>>;
};

/// A typed handle: the address of an actor that understands protocol `P`. What the actor does not
/// understand does not compile. Plain data; it says nothing about whether the actor is alive.
template <class P>
struct Ref {
  ActorAddress address;

  explicit operator bool() const { return bool(address); }
  auto operator<=>(const Ref&) const = default;
};

}  // namespace slime::runtime
