#include "trunnion/backends/common/request_book.hpp"

#include <tuple>

namespace trunnion {

// -- listening ----------------------------------------------------------------

bool request_book::by_load::operator()(const listener* a, const listener* b) const {
  const auto load = [](const listener& x) {
    return std::tuple{x.in_hand >= x.at_most, x.in_hand, x.turn}; // Those with no room come last.
  };
  return load(*a) < load(*b);
}

outcome<listening> request_book::listen(session_id session, const subject& on,
                                        std::uint32_t at_most) {
  ensure(at_most > 0, "a listener takes requests");
  auto& owner = party_of(session);
  if (auto* known = find_open(session, on)) {
    auto node = known->among->extract(known);
    known->at_most = at_most;
    known->among->insert(std::move(node));
    return listening{true};
  }
  if (owner.open_listeners >= options_.subjects_per_session)
    return fail(error_code::overloaded, "this session listens on too many subjects", on.text());
  const auto place = owner.listeners.try_emplace(on).first; // It may still have some in hand.
  auto& x = place->second;
  x.session = session;
  x.subject = &place->first;
  x.at_most = at_most;
  x.turn = ++turns_;
  x.among = &topics_[on];
  x.among->insert(&x);
  ++owner.open_listeners;
  ++listeners_;
  return listening{false};
}

bool request_book::unlisten(session_id session, const subject& on) {
  auto* known = find_open(session, on);
  if (!known)
    return false;
  auto& owner = party_of(session);
  stop(owner, *known);
  forget_if_idle(owner, *known);
  return true;
}

std::size_t request_book::purge(session_id session) {
  auto& owner = party_of(session);
  const auto result = owner.open_listeners;
  for (auto i = owner.listeners.begin(); i != owner.listeners.end();) {
    auto& x = i++->second;
    if (!x.is_open())
      continue;
    stop(owner, x);
    forget_if_idle(owner, x);
  }
  return result;
}

std::optional<session_id> request_book::any_listener() const {
  return topics_.empty() ? std::nullopt
                         : std::optional{(*topics_.begin()->second.begin())->session};
}

request_book::listener* request_book::find_open(session_id session, const subject& on) {
  auto& known = party_of(session).listeners;
  const auto found = known.find(on);
  return found == known.end() || !found->second.is_open() ? nullptr : &found->second;
}

void request_book::stop(party& owner, listener& x) {
  x.among->erase(&x);
  if (x.among->empty())
    topics_.erase(*x.subject);
  x.among = nullptr;
  --owner.open_listeners;
  --listeners_;
}

void request_book::forget_if_idle(party& owner, listener& x) {
  if (!x.is_open() && x.in_hand == 0)
    owner.listeners.erase(owner.listeners.find(*x.subject));
}

request_book::party& request_book::party_of(session_id x) {
  if (x.value >= parties_.size())
    parties_.resize(std::size_t{x.value} + 1);
  return parties_[x.value];
}

// -- requests -----------------------------------------------------------------

outcome<request_book::handed> request_book::hand_over(const subject& on, session_id caller,
                                                      instant deadline) {
  const auto topic = topics_.find(on);
  if (topic == topics_.end())
    return fail(error_code::unregistered_responder, "nobody listens", on.text());
  auto& among = topic->second;
  auto& x = **among.begin();
  if (x.in_hand >= x.at_most)
    return fail(error_code::overloaded, "every listener has its hands full", on.text());
  if (asked_by(caller) >= options_.requests_per_caller)
    return fail(error_code::overloaded, "this client has too many requests in flight", on.text());
  if (open() >= most_open)
    return fail(error_code::overloaded, "too many requests are in flight", on.text());
  auto place = static_cast<std::uint32_t>(slots_.size());
  if (free_.empty()) {
    slots_.emplace_back();
  } else {
    place = free_.back();
    free_.pop_back();
  }
  auto node = among.extract(among.begin());
  ++x.in_hand;
  x.turn = ++turns_;
  among.insert(std::move(node));
  auto& opened = slots_[place];
  ++opened.life;
  opened.caller = caller;
  opened.to = &x;
  join(party_of(caller).asked, &slot::asked, place);
  join(party_of(x.session).in_hand, &slot::in_hand, place);
  deadlines_.add(place, deadline);
  return handed{number_at(place), x.session};
}

std::optional<request_book::request> request_book::find(std::uint64_t number) const {
  const auto place = place_of(number);
  if (place >= slots_.size() || !slots_[place].to || number_at(place) != number)
    return std::nullopt;
  const auto& x = slots_[place];
  return request{x.caller, x.to->session, *x.to->subject};
}

void request_book::close(std::uint64_t number) {
  ensure(find(number).has_value(), "only an open request is closed");
  const auto place = place_of(number);
  auto& x = slots_[place];
  auto& to = *x.to;
  auto& owner = parties_[to.session.value];
  leave(parties_[x.caller.value].asked, &slot::asked, place);
  leave(owner.in_hand, &slot::in_hand, place);
  deadlines_.remove(place);
  x.to = nullptr;
  free_.push_back(place);
  if (to.is_open()) {
    auto node = to.among->extract(&to);
    --to.in_hand;
    to.among->insert(std::move(node));
  } else {
    --to.in_hand;
    forget_if_idle(owner, to);
  }
}

std::optional<std::uint64_t> request_book::due(instant now) const {
  const auto next = deadlines_.next_due();
  return next && *next <= now ? any_open() : std::nullopt;
}

std::optional<std::uint64_t> request_book::any_open() const {
  return open() == 0 ? std::nullopt : std::optional{number_at(deadlines_.next())};
}

std::optional<std::uint64_t> request_book::oldest_in_hand(session_id session) const {
  return first_of(session, &party::in_hand);
}

std::optional<std::uint64_t> request_book::oldest_asked(session_id session) const {
  return first_of(session, &party::asked);
}

std::optional<std::uint64_t> request_book::first_of(session_id session, line party::*x) const {
  if (session.value >= parties_.size())
    return std::nullopt;
  const auto first = (parties_[session.value].*x).first;
  return first == none ? std::nullopt : std::optional{number_at(first)};
}

// -- lines --------------------------------------------------------------------

void request_book::join(line& x, links slot::*in, std::uint32_t place) {
  slots_[place].*in = {x.last, none};
  (x.last == none ? x.first : (slots_[x.last].*in).after) = place;
  x.last = place;
  ++x.size;
}

void request_book::leave(line& x, links slot::*in, std::uint32_t place) {
  const auto [before, after] = slots_[place].*in;
  (before == none ? x.first : (slots_[before].*in).after) = after;
  (after == none ? x.last : (slots_[after].*in).before) = before;
  --x.size;
}

} // namespace trunnion
