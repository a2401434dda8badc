// Members of a service that serve a request, read a stream, or watch keys.
//
// A service is composed of members that share its fate. Workers are actors of one's own; these
// functions make the rest, each from what shall be done with a request, a batch or a change.
//
//   service_options camera{
//     .info = {"camera", "2.1.0"},
//     .entity = ridge_camera,
//     .members = {worker,
//                 serving("expose", [](const member_context& x) -> any_request_handler { ... }),
//                 reading("weather", weather_events, [](const member_context& x) { ... }),
//                 watching("mount", mount_state, [](const member_context& x) { ... })}};
//
// What is made here ends in order with the service, within its grace. The functions that are given
// are called once each, at the start of the member; what they return runs in an actor and must not
// block.

#pragma once

#include "trunnion/actors/responder.hpp"
#include "trunnion/actors/service.hpp"
#include "trunnion/actors/stream_reader.hpp"

namespace trunnion {

/// Called with each part that a monitor tells.
using change_function = std::function<void(const monitor_part&)>;

template <class T> using made_for_member = std::function<T(const member_context&)>;

/// Serves `request`, a property of the service's entity, and is named for it. The options' subject,
/// handler and owner are not looked at.
service_member serving(std::string request, made_for_member<any_request_handler> make_handler,
                       responder_options options = {});

/// Reads `pattern`, wherever it is. The options' pattern and owner are not looked at.
service_member reading(std::string name, subject pattern, made_for_member<any_read_sink> make_sink,
                       reader_options options = {});

/// Watches `pattern`, a name, `*` or `>`, wherever it is.
service_member watching(std::string name, subject pattern,
                        made_for_member<change_function> make_function);

} // namespace trunnion
