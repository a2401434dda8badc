#include "trunnion/messages/address.hpp"

#include "trunnion/messages/ensure.hpp"

namespace trunnion {
namespace {

bool is_allowed(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'
         || c == '_' || c == '/' || c == '=';
}

/// A refused text as it may be shown: what is not printable ASCII becomes `\xNN`, and it is cut.
std::string shown(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::size_t longest = 80;
  std::string result;
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '\\')
      result += c;
    else
      (result += "\\x").append({digits[byte >> 4U], digits[byte & 15U]});
  }
  return text.size() > longest ? result + "..." : result;
}

tl::unexpected<failure> refuse(std::string_view whole, std::size_t position, std::string why) {
  return fail(error_code::invalid_subject,
              "invalid subject '" + shown(whole) + "' at position " + std::to_string(position + 1)
                + ": " + std::move(why),
              shown(whole));
}

/// Checks the segment of `whole` that begins at `begin`.
outcome<void> check_segment(std::string_view segment, std::string_view whole, std::size_t begin) {
  if (segment.empty())
    return refuse(whole, begin, "a segment is empty");
  for (std::size_t i = 0; i < segment.size(); ++i)
    if (!is_allowed(segment[i]))
      return refuse(whole, begin + i, "only A-Z a-z 0-9 - _ / = are allowed");
  if (segment.size() > max_segment_length)
    return refuse(whole, begin + max_segment_length, "a segment has at most 128 characters");
  if (segment == events_token)
    return refuse(whole, begin, "'_EVENTS' is reserved");
  return {};
}

/// Checks the segments of the entity `path`, which is the beginning of `whole`.
outcome<void> check_path(std::string_view path, std::string_view whole) {
  if (whole.size() > max_subject_length)
    return refuse(whole, max_subject_length, "a subject has at most 512 characters");
  std::size_t begin = 0;
  while (!path.empty() && begin <= path.size()) {
    const auto end = std::min(path.find('.', begin), path.size());
    if (auto checked = check_segment(path.substr(begin, end - begin), whole, begin); !checked)
      return checked;
    begin = end + 1;
  }
  return {};
}

} // namespace

// -- entity -------------------------------------------------------------------

outcome<entity> entity::parse(std::string_view text) {
  if (auto checked = check_path(text, text); !checked)
    return tl::unexpected{checked.error()};
  return entity{std::string{text}};
}

outcome<entity> entity::make(const std::vector<std::string>& segments) {
  entity result;
  for (const auto& segment : segments) {
    auto next = result.child(segment);
    if (!next)
      return next;
    result = std::move(*next);
  }
  return result;
}

outcome<entity> entity::child(std::string_view segment) const {
  const auto whole = is_root() ? std::string{segment} : text_ + "." + std::string{segment};
  if (auto checked = check_segment(segment, whole, whole.size() - segment.size()); !checked)
    return tl::unexpected{checked.error()};
  if (whole.size() > max_subject_length)
    return refuse(whole, max_subject_length, "a subject has at most 512 characters");
  return entity{whole};
}

std::vector<std::string> entity::segments() const {
  std::vector<std::string> result;
  for_each_segment(text_, [&](std::string_view segment) { result.emplace_back(segment); });
  return result;
}

// -- property -----------------------------------------------------------------

outcome<property> property::named(std::string_view name) {
  if (auto checked = check_segment(name, name, 0); !checked)
    return tl::unexpected{checked.error()};
  property result{property_kind::name};
  result.name_ = name;
  return result;
}

std::string_view property::text() const {
  switch (kind_) {
  case property_kind::none: return "";
  case property_kind::name: return name_;
  case property_kind::events: return events_token;
  case property_kind::all_properties: return "*";
  case property_kind::all_descendants: return ">";
  }
  return "";
}

// -- subject ------------------------------------------------------------------

subject::subject(const entity& owner, const property& prop)
  : text_(owner.text()),
    owner_length_(static_cast<std::uint16_t>(owner.text().size())),
    kind_(prop.kind()) {
  if (kind_ == property_kind::none)
    return;
  if (!text_.empty())
    text_ += '.';
  text_ += prop.text();
  ensure(text_.size() <= max_subject_length, "a subject of two parts is checked by make");
}

outcome<subject> subject::make(const entity& owner, const property& prop) {
  const auto dots = owner.is_root() || prop.kind() == property_kind::none ? 0U : 1U;
  if (owner.text().size() + dots + prop.text().size() > max_subject_length)
    return refuse(owner.text() + "." + std::string{prop.text()}, max_subject_length,
                  "a subject has at most 512 characters");
  return subject{owner, prop};
}

outcome<subject> subject::parse(std::string_view text) {
  if (text.empty())
    return refuse(text, 0, "a subject needs a property");
  const auto dot = text.rfind('.');
  const auto last = dot == std::string_view::npos ? text : text.substr(dot + 1);
  const auto path = dot == std::string_view::npos ? std::string_view{} : text.substr(0, dot);
  if (dot == 0)
    return refuse(text, 0, "a segment is empty");
  if (auto checked = check_path(path, text); !checked)
    return tl::unexpected{checked.error()};
  subject result;
  result.text_ = text;
  result.owner_length_ = static_cast<std::uint16_t>(path.size());
  if (last == "*")
    result.kind_ = property_kind::all_properties;
  else if (last == ">")
    result.kind_ = property_kind::all_descendants;
  else if (last == events_token)
    result.kind_ = property_kind::events;
  else if (auto checked = check_segment(last, text, text.size() - last.size()); !checked)
    return tl::unexpected{checked.error()};
  else
    result.kind_ = property_kind::name;
  return result;
}

property subject::prop() const {
  switch (kind_) {
  case property_kind::none: return property::none();
  case property_kind::events: return property::events();
  case property_kind::all_properties: return property::all_properties();
  case property_kind::all_descendants: return property::all_descendants();
  case property_kind::name: break;
  }
  const auto begin = owner_length_ == 0 ? 0U : owner_length_ + 1U;
  auto result = property::named(std::string_view{text_}.substr(begin));
  ensure(result.has_value(), "a subject's name was checked when it was made");
  return *result;
}

std::vector<std::string> subject::full_path() const {
  auto result = owner().segments();
  if (kind_ != property_kind::none)
    result.emplace_back(prop().text());
  return result;
}

bool subject::covers(const subject& other) const {
  if (!is_pattern())
    return *this == other;
  if (other.kind() == property_kind::none)
    return false;
  if (kind_ == property_kind::all_properties)
    return owner_text() == other.owner_text() && other.kind() != property_kind::all_descendants;
  const auto below = other.owner_text();
  return owner_length_ == 0 || below == owner_text()
         || (below.size() > owner_length_ && below.starts_with(owner_text())
             && below[owner_length_] == '.');
}

std::strong_ordering subject::operator<=>(const subject& other) const {
  if (const auto order = text_ <=> other.text_; order != 0)
    return order;
  return kind_ <=> other.kind_;
}

bool subject::restore() {
  if (kind_ == property_kind::none) {
    owner_length_ = static_cast<std::uint16_t>(text_.size());
    return entity::parse(text_).has_value();
  }
  auto parsed = parse(text_);
  if (!parsed || parsed->kind_ != kind_)
    return false;
  *this = std::move(*parsed);
  return true;
}

std::string to_string(property_kind x) {
  switch (x) {
  case property_kind::none: return "none";
  case property_kind::name: return "name";
  case property_kind::events: return "events";
  case property_kind::all_properties: return "all properties";
  case property_kind::all_descendants: return "all descendants";
  }
  return "unknown kind of property"; // Of a newer peer.
}

} // namespace trunnion
