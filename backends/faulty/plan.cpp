#include "trunnion/backends/faulty/plan.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

namespace trunnion {
namespace {

using std::chrono::seconds;

constexpr std::array<fault_kind_info, fault_kinds> kinds{{
  {fault_kind::drop, "drop", "drop:RATE",
   "requests, responses, parts and grants of credit do not arrive", std::nullopt, nanoseconds{}},
  {fault_kind::repeat, "repeat", "repeat:RATE",
   "parts, replies of listeners and conditional writes arrive twice", std::nullopt, nanoseconds{}},
  {fault_kind::delay, "delay", "delay[:RATE]:TIME", "messages arrive up to TIME later", 1.0,
   std::nullopt},
  {fault_kind::cut, "cut", "cut:RATE[:TIME]",
   "all sessions end, and for TIME (1s) nobody gets through", std::nullopt, seconds{1}},
  {fault_kind::stall, "stall", "stall:RATE[:TIME]",
   "for TIME (1s) nothing arrives, then all of it in order", std::nullopt, seconds{1}},
}};

struct unit {
  std::string_view name;
  std::int64_t ns;
};

constexpr std::array<unit, 5> units{
  {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}, {"m", 60'000'000'000}}};

std::string quoted(std::string_view text) {
  std::string result{"'"};
  for (const char c : text.substr(0, 60))
    result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > 60 ? "...'" : "'");
}

tl::unexpected<failure> refuse(std::string text) {
  return fail(error_code::invalid_argument, std::move(text));
}

/// Plain digits with at most one point: 0.01, 1, not 1e-2.
std::optional<double> read_rate(std::string_view text) {
  const auto is_plain = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  double result = 0;
  const auto* end = text.data() + text.size();
  if (!std::ranges::all_of(text, is_plain))
    return std::nullopt;
  const auto read = std::from_chars(text.data(), end, result, std::chars_format::fixed);
  const bool fits = read.ec == std::errc{} && read.ptr == end && result >= 0 && result <= 1;
  return fits ? std::optional{result} : std::nullopt;
}

/// A whole number and a unit: 5ms.
std::optional<nanoseconds> read_length(std::string_view text) {
  std::int64_t count = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, count);
  if (read.ec != std::errc{})
    return std::nullopt;
  const auto* found = std::ranges::find(units, std::string_view{read.ptr, end}, &unit::name);
  if (found == units.end() || count <= 0 || count > longest_fault.count() / found->ns)
    return std::nullopt;
  return nanoseconds{count * found->ns};
}

std::string print_length(nanoseconds x) {
  const auto fits = [&](const unit& u) { return x.count() % u.ns == 0; };
  const auto found = std::find_if(units.rbegin(), units.rend(), fits); // Nanoseconds always fit.
  return std::to_string(x.count() / found->ns) + std::string{found->name};
}

std::string print_rate(double x) {
  std::array<char, 512> text{}; // Room for any double from 0 to 1 without an exponent.
  const auto end
    = std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::fixed);
  return {text.data(), end.ptr};
}

std::string known_kinds() {
  std::string result;
  for (const auto& x : kinds)
    result.append(result.empty() ? "" : ", ").append(x.form);
  return result;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> result;
  for (std::size_t begin = 0, end = 0; end != std::string_view::npos; begin = end + 1) {
    end = text.find(at, begin);
    result.push_back(text.substr(begin, end - begin));
  }
  return result;
}

/// The rules of a text, without comments.
std::vector<std::string_view> words(std::string_view text) {
  constexpr std::string_view separators = "+ \t\r\n";
  std::vector<std::string_view> result;
  for (auto line : split(text, '\n')) {
    line = line.substr(0, line.find('#'));
    for (auto begin = line.find_first_not_of(separators); begin != std::string_view::npos;) {
      const auto end = line.find_first_of(separators, begin);
      result.push_back(line.substr(begin, end - begin));
      begin = line.find_first_not_of(separators, end);
    }
  }
  return result;
}

outcome<void> read_rule(std::string_view text, fault_plan& into) {
  auto parts = split(text, ':');
  const auto* info = std::ranges::find(kinds, parts.front(), &fault_kind_info::name);
  if (info == kinds.end())
    return refuse(quoted(text) + " is no fault; known are " + known_kinds());
  auto& rule = into.rule(info->kind);
  if (rule)
    return refuse("the fault " + std::string{info->name} + " is there twice; once is enough");
  rule = fault_rule{info->usual_rate.value_or(0), info->usual_length.value_or(nanoseconds{})};
  auto rest = std::span{parts}.subspan(1);
  const auto wrong = [&] {
    return refuse(
      quoted(text) + " must read " + std::string{info->form}
      + ", with a RATE from 0 to 1 such as 0.01"
      + (info->usual_length == nanoseconds{}
           ? ""
           : " and a TIME such as 5ms, of " + print_length(longest_fault) + " at most"));
  };
  bool has_rate = info->usual_rate.has_value(), has_length = info->usual_length.has_value();
  if (!rest.empty())
    if (const auto rate = read_rate(rest.front())) {
      rule->rate = *rate;
      has_rate = true;
      rest = rest.subspan(1);
    }
  if (!rest.empty() && info->usual_length != nanoseconds{})
    if (const auto length = read_length(rest.front())) {
      rule->length = *length;
      has_length = true;
      rest = rest.subspan(1);
    }
  if (!has_rate || !has_length || !rest.empty())
    return wrong();
  return {};
}

/// Spreads every bit of `x` over all bits of the result; nothing is lost.
std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 30U;
  x *= 0xbf58476d1ce4e5b9U;
  x ^= x >> 27U;
  x *= 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// What is asked about a message; each question has an answer of its own.
enum class question : std::uint8_t { whether, how_long };

std::uint64_t roll(std::uint64_t seed, fault_kind kind, message_place at, question what) {
  constexpr std::uint64_t step = 0x9e3779b97f4a7c15U; // Odd, so that zeros do not stay zeros.
  auto x = mix(seed + step);
  x = mix(x + step * (1 + 2 * static_cast<std::uint64_t>(kind) + static_cast<std::uint64_t>(what)));
  x = mix(x + step * (1 + at.link));
  return mix(x + step * (1 + at.n));
}

} // namespace

std::span<const fault_kind_info, fault_kinds> all_fault_kinds() { return kinds; }

std::string to_string(fault_kind x) {
  const auto* info = std::ranges::find(kinds, x, &fault_kind_info::kind);
  return info == kinds.end() ? "unknown fault" : std::string{info->name};
}

outcome<fault_plan> parse_plan(std::string_view text) {
  if (text.size() > max_plan_text)
    return refuse("a plan of faults has at most " + std::to_string(max_plan_text) + " bytes");
  const auto rules = words(text);
  if (rules.empty())
    return refuse("a plan of faults is `none`, or rules such as drop:0.01+delay:5ms; known are "
                  + known_kinds());
  fault_plan result;
  if (rules.size() == 1 && rules.front() == "none")
    return result;
  for (const auto rule : rules)
    if (auto read = read_rule(rule, result); !read)
      return tl::unexpected{std::move(read.error())};
  return result;
}

std::string to_string(const fault_plan& x) {
  std::string result;
  for (const auto& info : kinds) {
    const auto& rule = x.rule(info.kind);
    if (!rule)
      continue;
    result.append(result.empty() ? "" : "+").append(info.name);
    result.append(":").append(print_rate(rule->rate));
    if (rule->length > nanoseconds{})
      result.append(":").append(print_length(rule->length));
  }
  return result.empty() ? "none" : result;
}

bool fault_dice::strikes(fault_kind kind, message_place at) const {
  const auto& rule = plan_.rule(kind);
  if (!rule)
    return false;
  const auto drawn = roll(seed_, kind, at, question::whether) >> 11U; // The 53 bits of a double.
  return static_cast<double>(drawn) * 0x1p-53 < rule->rate;
}

nanoseconds fault_dice::length(fault_kind kind, message_place at) const {
  const auto& rule = plan_.rule(kind);
  if (!rule || kind != fault_kind::delay || rule->length <= nanoseconds{})
    return rule ? rule->length : nanoseconds{};
  const auto most = static_cast<std::uint64_t>(rule->length.count());
  return nanoseconds{
    static_cast<std::int64_t>(1 + roll(seed_, kind, at, question::how_long) % most)};
}

} // namespace trunnion
