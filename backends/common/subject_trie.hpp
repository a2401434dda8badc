// Finds the watches that a written subject concerns.
//
// Looking at every watch would make a write the slower the more of them there are. Here a write
// costs a few look-ups: one for its exact subject, one for the own properties of its entity, and
// one for each entity above it, for patterns of the form `a.>`. It is a trie whose nodes lie in
// hash tables under the text of their path, which costs a watch of one key less memory than a chain
// of nodes, and a write fewer steps.
//
// Watches are not owned. They are found in a fixed order: patterns from the root downwards, then
// the entity's own, then the exact ones, and in each the order in which they were added. Threads:
// one user at a time.

#pragma once

#include "trunnion/messages/address.hpp"
#include "trunnion/messages/ensure.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace trunnion {

/// Lets a table of strings be searched with a view. Not `noexcept`, so that libstdc++ keeps the
/// hash beside each string, and looks at no string in vain.
struct text_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view x) const { return std::hash<std::string_view>{}(x); }
};

template <class Watch> class subject_trie {
  struct seat {
    std::uint64_t serial;
    Watch* watch; // Null once it was removed.
  };

  struct node {
    std::vector<seat> seats; // By serial.
    std::uint32_t holes = 0; // Seats without a watch.
  };

  using table = std::unordered_map<std::string, node, text_hash, std::equal_to<>>;
  using table_entry = typename table::value_type;

public:
  /// Where a watch is; needed to remove it.
  class place {
  public:
    place() = default;

  private:
    friend class subject_trie;
    table_entry* entry_ = nullptr;
    std::uint64_t serial_ = 0;
    property_kind kind_{};
  };

  /// Adds a watch of `pattern`, which is not `none`.
  [[nodiscard]] place add(const subject& pattern, Watch& watch) {
    ensure(pattern.kind() != property_kind::none, "an entity as such is never watched");
    place result;
    result.kind_ = pattern.kind();
    result.serial_ = ++serial_;
    result.entry_ = &*table_of(result.kind_).try_emplace(path_of(pattern)).first;
    result.entry_->second.seats.push_back({result.serial_, &watch});
    ++size_;
    return result;
  }

  /// Removes what was added at `where`, once.
  void remove(const place& where) {
    auto& found = where.entry_->second;
    const auto seat_of = std::ranges::lower_bound(found.seats, where.serial_, {}, &seat::serial);
    ensure(seat_of != found.seats.end() && seat_of->watch, "a watch is removed once");
    seat_of->watch = nullptr;
    --size_;
    if (++found.holes == found.seats.size()) {
      auto& nodes = table_of(where.kind_);
      nodes.erase(nodes.find(where.entry_->first));
    } else if (found.holes * 2 > found.seats.size()) { // So that removing all costs no square.
      std::erase_if(found.seats, [](const seat& x) { return !x.watch; });
      found.holes = 0;
    }
  }

  /// The pattern that was added at `where`.
  [[nodiscard]] subject pattern_of(const place& where) const {
    auto text = where.entry_->first;
    if (where.kind_ == property_kind::all_properties)
      text += text.empty() ? "*" : ".*";
    else if (where.kind_ == property_kind::all_descendants)
      text += text.empty() ? ">" : ".>";
    auto parsed = subject::parse(text);
    ensure(parsed.has_value(), "what was added is a subject");
    return *std::move(parsed);
  }

  /// Calls `visit(Watch&)` for each watch whose pattern covers `written`; it must not add or remove
  /// any.
  template <class Visitor> void match(const subject& written, Visitor visit) const {
    const auto owner = written.owner_text();
    if (!below_.empty()) {
      visit_node(below_, "", visit);
      for (std::size_t end = 0; end < owner.size();) {
        end = std::min(owner.find('.', end + 1), owner.size());
        visit_node(below_, owner.substr(0, end), visit);
      }
    }
    visit_node(own_, owner, visit);
    visit_node(exact_, written.text(), visit);
  }

  [[nodiscard]] std::size_t size() const { return size_; }

private:
  static std::string path_of(const subject& pattern) {
    return pattern.is_pattern() ? std::string{pattern.owner_text()} : pattern.text();
  }

  table& table_of(property_kind kind) {
    if (kind == property_kind::all_properties)
      return own_;
    return kind == property_kind::all_descendants ? below_ : exact_;
  }

  template <class Visitor>
  static void visit_node(const table& nodes, std::string_view path, Visitor& visit) {
    if (nodes.empty())
      return;
    const auto found = nodes.find(path);
    if (found == nodes.end())
      return;
    for (const auto& x : found->second.seats)
      if (x.watch)
        visit(*x.watch);
  }

  table exact_; // By the whole text.
  table own_;   // `a.*`, by the entity.
  table below_; // `a.>`, by the entity.
  std::uint64_t serial_ = 0;
  std::size_t size_ = 0;
};

} // namespace trunnion
