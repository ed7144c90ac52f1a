#include "runtime/metrics/metrics.hpp"

namespace slime::runtime {

namespace {

using enum MetricKind;
using Stats = NodeStats;

constexpr Metric all[] = {
    {"slime_actors", gauge, "actors", "Actors that live on this node, its system actors included.",
     [](const Stats& node) { return node.actors_alive; }},
    {"slime_ended_actors_total", counter, "actors", "Actors that ended, for whatever reason.",
     [](const Stats& node) { return node.actors_ended; }},
    {"slime_failed_actors_total", counter, "actors",
     "Actors that ended with a reason: an exception, a kill, a failure of their own.",
     [](const Stats& node) { return node.actors_failed; }},
    {"slime_mailbox_messages", gauge, "messages", "Messages that wait in the actors' mailboxes.",
     [](const Stats& node) { return node.messages_waiting; }},
    {"slime_mailbox_bytes", gauge, "bytes", "Bytes of the messages that wait in mailboxes.",
     [](const Stats& node) { return node.bytes_waiting; }},
    {"slime_handled_messages_total", counter, "messages",
     "Messages that actors took out of their mailboxes, answers left out.",
     [](const Stats& node) { return node.messages_handled; }},
    {"slime_refused_messages_total", counter, "messages",
     "Messages that were refused because the mailbox was full.",
     [](const Stats& node) { return node.messages_refused; }},
    {"slime_asks_total", counter, "asks", "Asks made on this node.",
     [](const Stats& node) { return node.asks_made; }},
    {"slime_expired_asks_total", counter, "asks",
     "Asks made on this node that were not answered before their deadline.",
     [](const Stats& node) { return node.asks_expired; }},
    {"slime_outstanding_asks", gauge, "asks", "Asks made on this node that may yet be answered.",
     [](const Stats& node) { return node.asks_outstanding; }},
    {"slime_link_connected_peers", gauge, "peers", "Nodes that this one is connected with.",
     [](const Stats& node) { return node.link.peers_connected; }},
    {"slime_link_suspected_peers", gauge, "peers", "Nodes of which nothing was heard for long.",
     [](const Stats& node) { return node.link.peers_suspected; }},
    {"slime_link_queued_messages", gauge, "messages",
     "Messages to other nodes that wait to be written, the link's own included.",
     [](const Stats& node) { return node.link.messages_queued; }},
    {"slime_link_queued_bytes", gauge, "bytes", "Bytes of the messages that wait to be written.",
     [](const Stats& node) { return node.link.bytes_queued; }},
    {"slime_link_in_flight_bytes", gauge, "bytes",
     "Bytes sent whose credit has not come back: not yet handled on the other side.",
     [](const Stats& node) { return node.link.bytes_in_flight; }},
    {"slime_link_pending_requests", gauge, "requests",
     "Requests to other nodes that are not answered.",
     [](const Stats& node) { return node.link.requests_pending; }},
    {"slime_link_dead_peers_total", counter, "peers",
     "Nodes that were declared dead, by this one or by the cluster.",
     [](const Stats& node) { return node.link.peers_dead; }},
    {"slime_link_left_peers_total", counter, "peers", "Nodes that said goodbye to this one.",
     [](const Stats& node) { return node.link.peers_left; }},
    {"slime_link_slow_turns_total", counter, "turns",
     "Turns of brief actors that held the link's thread for 100 ms or more; the log names them.",
     [](const Stats& node) { return node.link.slow_turns; }},
    {"slime_link_received_bytes_total", counter, "bytes", "Bytes that came from other nodes.",
     [](const Stats& node) { return node.link.traffic.bytes_in; }},
    {"slime_link_sent_bytes_total", counter, "bytes",
     "Bytes that were given to the system to be sent to other nodes.",
     [](const Stats& node) { return node.link.traffic.bytes_out; }},
    {"slime_link_received_frames_total", counter, "frames",
     "Frames that came: messages, chunks of long ones and the link's own, such as heartbeats.",
     [](const Stats& node) { return node.link.traffic.frames_in; }},
    {"slime_link_sent_frames_total", counter, "frames",
     "Frames that were sent: messages, chunks of long ones and the link's own.",
     [](const Stats& node) { return node.link.traffic.frames_out; }},
    {"slime_link_received_messages_total", counter, "messages",
     "Messages of actors that came from other nodes.",
     [](const Stats& node) { return node.link.traffic.messages_in; }},
    {"slime_link_sent_messages_total", counter, "messages",
     "Messages of actors that were queued for other nodes.",
     [](const Stats& node) { return node.link.traffic.messages_out; }},
    {"slime_link_dropped_messages_total", counter, "messages",
     "Messages that had no receiver or were lost with a connection.",
     [](const Stats& node) { return node.link.traffic.messages_dropped; }},
    {"slime_link_refused_messages_total", counter, "messages",
     "Messages that were refused because too much waited for their node already.",
     [](const Stats& node) { return node.link.traffic.refused_overloaded; }},
    {"slime_link_reconnections_total", counter, "reconnections",
     "Connections made with nodes that this one had been connected with before.",
     [](const Stats& node) { return node.link.traffic.reconnections; }},
};

}  // namespace

std::span<const Metric> metrics() {
  return all;
}

}  // namespace slime::runtime
