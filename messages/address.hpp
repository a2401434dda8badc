// Addresses: which entity, and which of its properties.
//
// An entity is a path, such as `ridge.mount`; a subject is an entity and a property, such as
// `ridge.mount.EntityLease`. Every key, stream and request has a subject. What is not a valid
// address is refused here, where it is made, for every backend alike: on NATS a space ends the
// connection and a line break would inject protocol.
//
// A segment or name is 1 to 128 characters of `A-Z a-z 0-9 - _ / =`; a whole subject is at most 512
// characters; `_EVENTS` is reserved. Errors are `invalid_subject` with the text and the position.
//
// Patterns are subjects, too: `a.*` stands for the own properties of `a`, `a.>` for everything
// below it. They can be read, listed and watched, never written.
//
// Threads: plain values.

#pragma once

#include "trunnion/messages/errors.hpp"

#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace trunnion {

inline constexpr std::size_t max_segment_length = 128; ///< Characters.
inline constexpr std::size_t max_subject_length = 512; ///< Characters, dots included.
inline constexpr std::string_view events_token = "_EVENTS";

/// A path of zero or more segments; the root has none.
class entity {
public:
  entity() = default;

  /// Reads `a.b.c`; the empty text is the root.
  static outcome<entity> parse(std::string_view text);
  static outcome<entity> make(const std::vector<std::string>& segments);

  /// The entity one segment further down.
  [[nodiscard]] outcome<entity> child(std::string_view segment) const;

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool is_root() const { return text_.empty(); }
  [[nodiscard]] std::vector<std::string> segments() const;

  auto operator<=>(const entity&) const = default;

private:
  friend class subject;
  explicit entity(std::string text) : text_(std::move(text)) {}

  std::string text_; // Segments joined by dots.
};

enum class property_kind : std::uint8_t {
  none,            ///< The entity as such. Never a key, stream or request address.
  name,            ///< An ordinary property.
  events,          ///< The entity's event stream, text `_EVENTS`. A stream address, nothing else.
  all_properties,  ///< Text `*`: the entity's own properties, a pattern.
  all_descendants, ///< Text `>`: everything below the entity, a pattern.
};

/// A property: a name or a distinct kind, not a magic string.
class property {
public:
  property() = default;
  static outcome<property> named(std::string_view name);
  static property none() { return property{property_kind::none}; }
  static property events() { return property{property_kind::events}; }
  static property all_properties() { return property{property_kind::all_properties}; }
  static property all_descendants() { return property{property_kind::all_descendants}; }

  [[nodiscard]] property_kind kind() const { return kind_; }

  /// The name, `_EVENTS`, `*`, `>`, or nothing.
  [[nodiscard]] std::string_view text() const;

  auto operator<=>(const property&) const = default;

private:
  explicit property(property_kind kind) : kind_(kind) {}

  property_kind kind_ = property_kind::none;
  std::string name_;
};

/// An entity and one of its properties.
class subject {
public:
  /// The root as such.
  subject() = default;
  subject(const entity& owner, const property& prop);

  /// Checks the length of the whole, which the parts alone do not show.
  static outcome<subject> make(const entity& owner, const property& prop);

  /// Reads `a.b.name`, `a._EVENTS`, `a.*` and `a.>`. An entity as such cannot be told from a
  /// subject by its text, and is not read back.
  static outcome<subject> parse(std::string_view text);

  [[nodiscard]] property_kind kind() const { return kind_; }

  /// `a.b.name`; without a dot in front at the root; for `none` the entity.
  [[nodiscard]] const std::string& text() const { return text_; }

  [[nodiscard]] entity owner() const { return entity{std::string{owner_text()}}; }
  [[nodiscard]] std::string_view owner_text() const {
    return std::string_view{text_}.substr(0, owner_length_);
  }
  [[nodiscard]] property prop() const;

  /// The segments, then the property's text unless there is none.
  [[nodiscard]] std::vector<std::string> full_path() const;

  [[nodiscard]] bool is_pattern() const { return kind_ >= property_kind::all_properties; }

  /// Whether a key or a request can have this address.
  [[nodiscard]] bool is_name() const { return kind_ == property_kind::name; }

  /// Whether it covers `other`: itself, or what the pattern stands for.
  [[nodiscard]] bool covers(const subject& other) const;

  bool operator==(const subject&) const = default;
  std::strong_ordering operator<=>(const subject& other) const;

  template <class F> friend auto inspect(F& f, subject& x) {
    return checked_fields(
      f, x, "subject", [&x] { return x.restore(); }, field{"text", x.text_},
      field{"kind", x.kind_});
  }

private:
  /// After reading text and kind from the wire: whether they are valid together.
  bool restore();

  std::string text_;
  std::uint16_t owner_length_ = 0; // Of the entity's part of the text.
  property_kind kind_ = property_kind::none;
};

[[nodiscard]] std::string to_string(property_kind x);
[[nodiscard]] inline std::string to_string(const entity& x) { return x.text(); }
[[nodiscard]] inline std::string to_string(const subject& x) { return x.text(); }

/// Calls `visit` with each segment of a dotted text; the empty text has none.
template <class Visitor> void for_each_segment(std::string_view text, Visitor visit) {
  while (!text.empty()) {
    const auto dot = text.find('.');
    visit(text.substr(0, dot));
    text = dot == std::string_view::npos ? std::string_view{} : text.substr(dot + 1);
  }
}

template <class F> typename F::result_type inspect(F& f, entity& x) {
  if constexpr (F::reads_state) {
    auto text = x.text();
    return f(text);
  } else {
    std::string text;
    auto result = f(text);
    if (auto parsed = entity::parse(text))
      x = std::move(*parsed);
    else
      return caf::sec::invalid_argument;
    return result;
  }
}

} // namespace trunnion

template <> struct std::hash<trunnion::subject> {
  std::size_t operator()(const trunnion::subject& x) const noexcept {
    return std::hash<std::string>{}(x.text());
  }
};

template <> struct std::hash<trunnion::entity> {
  std::size_t operator()(const trunnion::entity& x) const noexcept {
    return std::hash<std::string>{}(x.text());
  }
};
