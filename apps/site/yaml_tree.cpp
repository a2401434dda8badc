#include "trunnion/site/yaml_tree.hpp"

#include "trunnion/messages/json.hpp"
#include "trunnion/site/duration_text.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

namespace trunnion {

namespace {

place place_of(const YAML::Mark& mark) {
  if (mark.is_null())
    return {1, 1, {}};
  return {
    static_cast<std::uint32_t>(mark.line) + 1, static_cast<std::uint32_t>(mark.column) + 1, {}};
}

/// Ends the reading after a problem that makes the rest worthless.
struct reading_ends {};

/// Takes the parser's events, which show what its own tree hides: anchors and repeated keys.
class tree_builder : public YAML::EventHandler {
public:
  tree_builder(config_value& root, site_problems& problems) : root_(root), problems_(problems) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check(mark, "?", anchor);
    add({.where = place_of(mark), .kind = value_kind::null});
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    problem(place_of(mark), "aliases are not allowed");
    add({.where = place_of(mark), .flawed = true});
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    check(mark, tag, anchor);
    config_value value{.where = place_of(mark),
                       .kind = tag == "!" ? value_kind::quoted : value_kind::plain,
                       .text = text};
    if (value.kind == value_kind::plain && !awaits_key() && looks_octal(text)) {
      const auto sign = text.substr(0, text.find_first_of("0123456789"));
      auto digits = text.substr(std::min(text.find_first_not_of("+-0"), text.size()));
      if (digits.empty() || digits.front() == '.')
        digits.insert(digits.begin(), '0');
      problem(value.where, in_quotes(text) + " looks like an octal number; write " + sign + digits
                             + ", or put it in quotes if it is text");
      value.flawed = true;
    }
    add(std::move(value));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    check(mark, tag, anchor);
    begin({.where = place_of(mark), .kind = value_kind::list});
  }
  void OnSequenceEnd() override { end(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    check(mark, tag, anchor);
    begin({.where = place_of(mark), .kind = value_kind::map});
  }
  void OnMapEnd() override { end(); }

private:
  /// A list or map that is being read.
  struct frame {
    config_value value;
    bool has_key = false;   ///< Of a map: the key is there, and its value comes next.
    bool drop_next = false; ///< That value belongs to no valid key.
    config_member pending;
    std::map<std::string, std::uint32_t> keys; ///< With their lines.
  };

  void problem(place where, std::string text) {
    problems_.push_back({std::move(where), std::move(text)});
  }

  void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0)
      problem(place_of(mark), "anchors are not allowed");
    if (tag != "?" && tag != "!" && !tag.empty())
      problem(place_of(mark), "tags are not allowed: " + in_quotes(tag));
  }

  [[nodiscard]] bool awaits_key() const {
    return !frames_.empty() && frames_.back().value.kind == value_kind::map
           && !frames_.back().has_key;
  }

  void begin(config_value value) {
    if (frames_.size() == max_yaml_depth) {
      problem(value.where, "nested more than " + std::to_string(max_yaml_depth) + " levels deep");
      throw reading_ends{};
    }
    frames_.push_back({.value = std::move(value)});
  }

  void end() {
    auto value = std::move(frames_.back().value);
    frames_.pop_back();
    add(std::move(value));
  }

  void add(config_value value) {
    if (frames_.empty()) {
      root_ = std::move(value);
      return;
    }
    auto& top = frames_.back();
    if (top.value.kind == value_kind::list) {
      top.value.items.push_back(std::move(value));
    } else if (!top.has_key) {
      top.has_key = true;
      top.drop_next = !take_key(top, value);
    } else {
      top.has_key = false;
      if (top.drop_next)
        return;
      if (value.kind == value_kind::null) // The parser saw it only at what follows.
        value.where = top.pending.where;
      top.pending.value = std::move(value);
      top.value.members.push_back(std::move(top.pending));
      top.pending = {};
    }
  }

  bool take_key(frame& top, const config_value& key) {
    if (key.flawed)
      return false;
    if (!key.is_text() || key.text.empty()) {
      problem(key.where, key.kind == value_kind::null || key.is_text() ? "a key is missing"
                                                                       : "a key must be a word");
      return false;
    }
    if (key.kind == value_kind::plain && key.text == "<<") {
      problem(key.where, "merge keys are not allowed");
      return false;
    }
    const auto [first, is_new] = top.keys.emplace(key.text, key.where.line);
    if (!is_new) {
      problem(key.where, "duplicate key " + in_quotes(key.text) + "; the first is at line "
                           + std::to_string(first->second));
      return false;
    }
    top.pending.key = key.text;
    top.pending.where = key.where;
    return true;
  }

  config_value& root_;
  site_problems& problems_;
  std::vector<frame> frames_;
};

/// The place of a byte, for what is found before the parser runs.
place place_in(std::string_view text, std::size_t offset) {
  const auto before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const auto last = before.rfind('\n');
  const auto start = last == std::string_view::npos ? 0 : last + 1;
  return {
    static_cast<std::uint32_t>(lines) + 1, static_cast<std::uint32_t>(offset - start) + 1, {}};
}

/// Whether the text may go to the parser, which takes some control characters for its own marks.
bool check_bytes(std::string_view text, site_problems& problems) {
  if (text.size() > max_yaml_size) {
    problems.push_back({{1, 1, {}}, "the file is larger than 1MiB"});
    return false;
  }
  if (const auto mended = mend_utf8(text); mended != text) {
    const auto at = std::mismatch(text.begin(), text.end(), mended.begin(), mended.end()).first;
    problems.push_back(
      {place_in(text, static_cast<std::size_t>(at - text.begin())), "the file is not valid UTF-8"});
    return false;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c >= 0x20 && c != 0x7F) || c == '\n' || c == '\t'
        || (c == '\r' && text.substr(i + 1).starts_with('\n')))
      continue;
    constexpr std::string_view digits = "0123456789ABCDEF";
    problems.push_back({place_in(text, i), std::string{"control characters are not allowed: U+00"}
                                             + digits[c >> 4U] + digits[c & 15U]});
    return false;
  }
  return true;
}

void parse(std::string_view text, yaml_tree& tree) {
  std::istringstream in{std::string{text}};
  tree_builder builder{tree.root, tree.problems};
  try {
    YAML::Parser parser{in};
    parser.HandleNextDocument(builder);
    config_value other;
    site_problems ignored;
    tree_builder rest{other, ignored};
    if (parser.HandleNextDocument(rest))
      tree.problems.push_back({other.where.line > 0 ? other.where : place{1, 1, {}},
                               "one document is expected, but here begins another"});
    tree.complete = true;
  } catch (const reading_ends&) {
    return;
  } catch (const YAML::Exception& e) {
    auto text = "not valid YAML: " + e.msg;
    if (e.msg == YAML::ErrorMsg::MAP_VALUE) // As in `backend: memory:`.
      text += "; text with a colon at its end belongs in quotes";
    tree.problems.push_back({place_of(e.mark), std::move(text)});
  }
}

} // namespace

bool looks_octal(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+'))
    text.remove_prefix(1);
  if (text.size() < 2 || text[0] != '0' || std::isdigit(static_cast<unsigned char>(text[1])) == 0)
    return false;
  const auto dots = std::count(text.begin(), text.end(), '.');
  return dots <= 1 && text.find_first_not_of("0123456789.") == std::string_view::npos;
}

yaml_tree read_yaml(std::string_view text) {
  yaml_tree tree;
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark))
    text.remove_prefix(byte_order_mark.size());
  if (check_bytes(text, tree.problems))
    parse(text, tree);
  std::sort(tree.problems.begin(), tree.problems.end());
  return tree;
}

} // namespace trunnion
