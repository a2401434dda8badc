#include "trunnion/runtime/plain_metrics.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace trunnion {
namespace {

constexpr int first_exponent = -30; // Bucket 0 ends at 2^-30, bucket 1 at 2^-29, and so on.

std::size_t bucket_of(double value) {
  if (!(value > 0))
    return 0;
  if (std::isinf(value))
    return metric_buckets - 1;
  int exponent = 0;
  const bool at_the_edge = std::frexp(value, &exponent) == 0.5; // 2^(exponent - 1) exactly.
  const int bucket = exponent - (at_the_edge ? 1 : 0) - first_exponent;
  return static_cast<std::size_t>(std::clamp(bucket, 0, int{metric_buckets} - 1));
}

std::size_t hash_of(std::string_view name) {
  return std::hash<std::string_view>{}(name) % max_metric_names;
}

/// Names to figures: slots are taken by whoever comes first, and are never given back.
template <class Figure> class table {
public:
  ~table() {
    for (auto& slot : slots_)
      delete slot.load();
  }

  /// The figure of `name`; null if there is no room for it.
  Figure* find(std::string_view name) {
    for (std::size_t i = 0, at = hash_of(name); i < max_metric_names;
         ++i, at = (at + 1) % max_metric_names) {
      auto* seen = slots_[at].load(std::memory_order_acquire);
      if (!seen)
        seen = take(slots_[at], name);
      if (seen->name == name)
        return &seen->figure;
    }
    return nullptr;
  }

  void for_each(auto&& visit) const {
    for (const auto& slot : slots_)
      if (const auto* seen = slot.load(std::memory_order_acquire))
        visit(seen->name, seen->figure);
  }

private:
  struct alignas(64) entry { // Alone on its cache lines: others count at the same time.
    explicit entry(std::string_view text) : name(text) {}
    std::string name;
    Figure figure;
  };

  /// What stands in `slot` afterwards: an entry for `name`, unless another was quicker.
  static entry* take(std::atomic<entry*>& slot, std::string_view name) {
    auto fresh = std::make_unique<entry>(name);
    entry* seen = nullptr;
    return slot.compare_exchange_strong(seen, fresh.get()) ? fresh.release() : seen;
  }

  std::array<std::atomic<entry*>, max_metric_names> slots_{};
};

struct counter {
  std::atomic<std::uint64_t> value{0};
};

struct histogram {
  std::atomic<double> sum{0};
  std::atomic<double> largest{0};
  std::array<std::atomic<std::uint64_t>, metric_buckets> buckets{};
};

} // namespace

struct plain_metrics::tables {
  table<counter> counters;
  table<histogram> histograms;
  std::atomic<std::uint64_t> refused{0};
};

double distribution::quantile(double q) const {
  if (count == 0)
    return 0;
  const auto rank = std::ceil(std::clamp(q, 0.0, 1.0) * static_cast<double>(count));
  const auto wanted = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rank));
  std::uint64_t below = 0;
  std::size_t i = 0;
  while (i + 1 < buckets.size() && (below += buckets[i]) < wanted)
    ++i;
  const bool last = i + 1 == buckets.size(); // Has no upper edge.
  return last ? largest : std::min(largest, std::ldexp(1.0, first_exponent + static_cast<int>(i)));
}

plain_metrics::plain_metrics() : tables_(std::make_unique<tables>()) {}

plain_metrics::~plain_metrics() = default;

void plain_metrics::count(std::string_view name, std::uint64_t by) {
  if (auto* found = tables_->counters.find(name))
    found->value.fetch_add(by, std::memory_order_relaxed);
  else
    tables_->refused.fetch_add(1, std::memory_order_relaxed);
}

void plain_metrics::observe(std::string_view name, double value) {
  auto* found = std::isnan(value) ? nullptr : tables_->histograms.find(name);
  if (!found) {
    tables_->refused.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  found->sum.fetch_add(value, std::memory_order_relaxed);
  auto seen = found->largest.load(std::memory_order_relaxed);
  while (seen < value && !found->largest.compare_exchange_weak(seen, value))
    ;
  found->buckets[bucket_of(value)].fetch_add(1, std::memory_order_relaxed);
}

metrics_snapshot plain_metrics::snapshot() const {
  metrics_snapshot result;
  tables_->counters.for_each([&](const std::string& name, const counter& figure) {
    result.counters.emplace(name, figure.value.load(std::memory_order_relaxed));
  });
  tables_->histograms.for_each([&](const std::string& name, const histogram& figure) {
    auto& out = result.distributions[name];
    out.sum = figure.sum.load(std::memory_order_relaxed);
    out.largest = figure.largest.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < metric_buckets; ++i)
      out.count += out.buckets[i] = figure.buckets[i].load(std::memory_order_relaxed);
  });
  result.refused = tables_->refused.load(std::memory_order_relaxed);
  return result;
}

} // namespace trunnion
