#include "runtime/metrics/metrics_server.hpp"

#include <httplib.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/link/endpoint.hpp"
#include "runtime/link/listener.hpp"
#include "runtime/metrics/metrics.hpp"

namespace slime::runtime {

namespace {

constexpr auto path = "/metrics";
constexpr auto text_format = "text/plain; version=0.0.4; charset=utf-8";
// A client that says nothing keeps one of the two threads no longer than this.
constexpr time_t silence_s = 2;

/// The list of metrics with the values of one node.
std::vector<prometheus::MetricFamily> families_of(const NodeStats& stats) {
  std::vector<prometheus::MetricFamily> families;
  for (const Metric& metric : metrics()) {
    const auto value = static_cast<double>(metric.value(stats));
    prometheus::ClientMetric told;
    prometheus::MetricFamily family;
    if (metric.kind == MetricKind::counter) {
      told.counter.value = value;
      family.type = prometheus::MetricType::Counter;
    } else {
      told.gauge.value = value;
      family.type = prometheus::MetricType::Gauge;
    }
    family.name = metric.name;
    family.help = metric.help;
    family.metric.push_back(std::move(told));
    families.push_back(std::move(family));
  }
  return families;
}

std::string with_host(std::string_view address) {
  const bool bare = address.find(':') == std::string_view::npos;
  if (bare) return "127.0.0.1:" + std::string(address);
  if (address.starts_with(':')) return "127.0.0.1" + std::string(address);
  return std::string(address);
}

Error cannot_serve(const std::string& address, const Error& why) {
  return {why.code, "serving metrics at " + address + ": " + why.context};
}

}  // namespace

class MetricsServer::Inside {
 public:
  Inside() {
    server_.new_task_queue = [] { return new httplib::ThreadPool(2); };
    // The library's own choice would let a second process share the port.
    server_.set_socket_options([](socket_t socket) {
      const int one = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    });
    server_.set_keep_alive_max_count(1);
    server_.set_keep_alive_timeout(silence_s);
    server_.set_read_timeout(silence_s);
    server_.Get(path, [this](const httplib::Request&, httplib::Response& answer) {
      const Source source = source_now();
      if (!source) {
        answer.status = 503;
        return;
      }
      answer.set_content(prometheus::TextSerializer().Serialize(families_of(source())),
                         text_format);
    });
  }

  ~Inside() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  bool bind(const EndpointParts& at) {
    EndpointParts bound = at;
    if (at.port != 0) {
      if (!server_.bind_to_port(at.host, at.port)) return false;
    } else {
      const int port = server_.bind_to_any_port(at.host);
      if (port < 0) return false;
      bound.port = static_cast<std::uint16_t>(port);
    }
    url_ = "http://" + make_endpoint(bound).text.substr(std::string_view("tcp:").size()) + path;
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    // One that does not run yet cannot be stopped.
    while (!server_.is_running()) std::this_thread::yield();
    return true;
  }

  void serve(Source source) {
    const std::lock_guard lock(mutex_);
    source_ = std::move(source);
  }

  const std::string& url() const { return url_; }

 private:
  Source source_now() {
    const std::lock_guard lock(mutex_);
    return source_;
  }

  std::string url_;
  std::mutex mutex_;
  Source source_;
  httplib::Server server_;
  std::thread thread_;
};

Result<std::unique_ptr<MetricsServer>> MetricsServer::open(std::string_view address) {
  const std::string place = with_host(address);
  const Endpoint endpoint{"tcp:" + place};
  const auto parts = parse(endpoint);
  if (!parts) return cannot_serve(place, parts.error());
  auto inside = std::make_unique<Inside>();
  if (inside->bind(*parts))
    return std::unique_ptr<MetricsServer>(new MetricsServer(std::move(inside)));
  // The library does not say why; whoever tries the same is told.
  const auto tried = Listener::open(endpoint);
  if (!tried) return cannot_serve(place, tried.error());
  return cannot_serve(place, {Errc::io_error, "it was taken a moment ago; try again"});
}

MetricsServer::MetricsServer(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}

MetricsServer::~MetricsServer() = default;

void MetricsServer::serve(Source source) {
  inside_->serve(std::move(source));
}

const std::string& MetricsServer::url() const {
  return inside_->url();
}

}  // namespace slime::runtime
