#include "trunnion/messages/backend_status.hpp"
#include "trunnion/messages/capabilities.hpp"
#include "trunnion/messages/kv.hpp"
#include "trunnion/messages/stream.hpp"
#include "trunnion/tests/messages/wire.hpp"

namespace trunnion::test {
namespace {

using namespace std::string_literals;

/// Not UTF-8, with a NUL.
const payload bytes{"v\0\xff\n"s};
const wall_time written{1'700'000'000'123'456'789ns};
const failure why{error_code::backend_unavailable, certainty::unknown, "a.b", "gone", {}};

entry live() { return {at("a.b"), bytes, {3}, written, 4s, {}, true, false}; }

std::vector<entry> entries() {
  return {live(),
          {at("a.c"), {}, {5}, written, {}, tombstone_cause::deleted, false, false},
          {at("a.d"), {}, {6}, written, {}, tombstone_cause::expired, false, true}};
}

} // namespace

wire_samples store_samples() {
  return {
    sample(kv_get{at("a.b"), true}),
    sample(kv_entry{{1}, live()}),
    sample(kv_entry{{1}, entries()[1]}),
    sample(kv_create{at("a.b"), bytes, 2s}),
    sample(kv_create{at("b"), {}, {}}),
    sample(kv_update{at("a.b"), bytes, revision{8}, 2s, epoch{7}}),
    sample(kv_update{at("a.b"), bytes, {}, {}}),
    sample(kv_written{{1}, {2}, 3s}),
    sample(kv_written{{1}, {2}, {}}),
    sample(kv_delete{at("a.b"), revision{9}, epoch{7}}),
    sample(kv_delete{at("a.b"), {}}),
    sample(kv_deleted{{1}, revision{2}}),
    sample(kv_deleted{{1}, {}}),
    sample(kv_list{at("a.*"), 1, 2}),
    sample(watch{at("a.>"), 1, 2}),
    sample(watch_opened{{18'446'744'073'709'551'615U}}),
    sample(watch_part{1, 2, part_kind::change, {3}, {4}, entries()}),
    sample(watch_part{1, 2, part_kind::resync, {3}, {4}, {}}),
    sample(watch_lost{1, why}),
    sample(watch_credit{1, 2, 3}),
    sample(rewatch{1, 2}),
    sample(unwatch{1}),
    sample(publish{at("a._EVENTS"), bytes}),
    sample(published{{1}, {2}}),
    sample(consume{at("a._EVENTS"), 1, stream_start::all, 3}),
    sample(consume{at("a.>"), 1, stream_start::sequence, 3, {4}, written, "night"}),
    sample(consuming{{1}, {2}, true}),
    sample(
      stream_part{1, 2, {3}, {{at("a.b"), {4}, written, bytes}, {at("c"), {5}, {}, {}}}, 6, 7}),
    sample(stream_ack{"night", {2}}),
    sample(stream_acked{{2}}),
    sample(drop_durable{"night"}),
    sample(durable_dropped{true}),
    sample(list_streams{entity_at("a.b"), true, at("a.b.c"), 5}),
    sample(list_streams{entity_at(""), false, {}, 5}),
    sample(stream_subjects{{at("a.b"), at("c._EVENTS")}, true}),
    sample(stream_lost{1, why}),
    sample(stream_credit{1, 2, 3}),
    sample(unconsume{1}),
    sample(get_capabilities{}),
    sample(capabilities{"memory", 1s, 2s, 3s, 4s, 5s, 6s, 7, true, 8, durability::disk,
                        expiry_events::by_own_clock}),
    sample(capabilities{
      "other", 1s, 2s, 3s, 4s, 5s, {}, 7, false, 8, durability::host, expiry_events::marked}),
    sample(get_backend_status{}),
    sample(backend_status{"memory:", "wal", {1}, {2}, 3,  4,  5,  6,  7,  8,
                          9,         10,    11,  12,  13, 14, 15, 16, 17, 18}),
    sample(close_backend{}),
    sample(backend_closed{}),
  };
}

} // namespace trunnion::test
