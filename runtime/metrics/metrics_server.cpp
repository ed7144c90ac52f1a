#include "runtime/metrics/metrics_server.hpp"

#include <httplib.h>
#include <poll.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/link/endpoint.hpp"
#include "runtime/link/listener.hpp"
#include "runtime/metrics/metrics.hpp"

namespace slime::runtime {

namespace {

constexpr auto path = "/metrics";
constexpr auto text_format = "text/plain; version=0.0.4; charset=utf-8";
// A client has this long for its request and to take the answer, so that it keeps one of the two
// threads no longer.
constexpr Duration request_time = std::chrono::seconds(2);
// A scrape's request has a few hundred.
constexpr std::size_t request_bytes_max = 16 << 10;

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

/// A client's connection for one request: at its end when the request's time is over, or when the
/// request is longer than any scrape. The library's own would begin to wait anew with every byte.
/// Does not own the socket. One thread's.
class RequestStream final : public httplib::Stream {
 public:
  RequestStream(socket_t socket, Instant until) : socket_(socket), until_(until) {}

  bool is_readable() const override { return wait_for(POLLIN); }
  bool is_writable() const override { return wait_for(POLLOUT); }

  ssize_t read(char* to, std::size_t size) override {
    if (unread_max_ == 0) return -1;
    for (;;) {
      const ssize_t count = ::recv(socket_, to, std::min(size, unread_max_), MSG_DONTWAIT);
      if (count >= 0) {
        unread_max_ -= static_cast<std::size_t>(count);
        return count;
      }
      if (!worth_waiting() || !is_readable()) return -1;
    }
  }

  ssize_t write(const char* from, std::size_t size) override {
    for (std::size_t written = 0; written < size;) {
      const ssize_t count =
          ::send(socket_, from + written, size - written, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (count >= 0)
        written += static_cast<std::size_t>(count);
      else if (!worth_waiting() || !is_writable())
        return -1;
    }
    return static_cast<ssize_t>(size);
  }

  // Nobody here asks who it is.
  void get_remote_ip_and_port(std::string& ip, int& port) const override { forget(ip, port); }
  void get_local_ip_and_port(std::string& ip, int& port) const override { forget(ip, port); }
  socket_t socket() const override { return socket_; }

 private:
  static bool worth_waiting() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }
  static void forget(std::string& ip, int& port) {
    ip.clear();
    port = 0;
  }
  bool wait_for(short events) const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - monotonic_now());
    pollfd descriptor{socket_, events, 0};
    return left.count() > 0 && ::poll(&descriptor, 1, static_cast<int>(left.count())) > 0;
  }

  socket_t socket_;
  Instant until_;
  std::size_t unread_max_ = request_bytes_max;
};

/// The library's server, but it serves one request for each connection, within `request_time`, and
/// can be broken off.
class BoundedServer final : public httplib::Server {
 public:
  /// Whatever is being served ends soon, and nothing else is served. Any thread.
  void break_off() {
    const std::lock_guard lock(mutex_);
    broken_off_ = true;
    for (const socket_t socket : open_) ::shutdown(socket, SHUT_RDWR);
  }

 private:
  /// Called by the library, on one of its threads, for each connection.
  bool process_and_close_socket(socket_t socket) override {
    bool served = false;
    if (enter(socket)) {
      RequestStream stream(socket, monotonic_now() + request_time);
      bool closed = false;
      served = process_request(stream, true, closed, nullptr);
    }
    const std::lock_guard lock(mutex_);
    open_.erase(socket);
    ::close(socket);
    return served;
  }

  bool enter(socket_t socket) {
    const std::lock_guard lock(mutex_);
    if (!broken_off_) open_.insert(socket);
    return !broken_off_;
  }

  std::mutex mutex_;
  std::set<socket_t> open_;  ///< Being served.
  bool broken_off_ = false;
};

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
    server_.break_off();
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
  BoundedServer server_;
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
