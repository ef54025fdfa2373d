// Routes, and the rules about who may use them.
#include "grader/server/class_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>

#include "grader/server/board_files.h"
#include "grader/server/callers.h"
#include "grader/server/guarded_server.h"
#include "grader/server/intake.h"
#include "grader/server/pages.h"
#include "grader/server/request_check.h"
#include "grader/server/ticket_views.h"

namespace lanewise {
namespace {

using httplib::Request;
using httplib::Response;

constexpr std::size_t kOverhead = 8192;    // of multipart/form-data
constexpr std::size_t kMostLines = 200;    // of a table on a page
constexpr std::size_t kMostLooked = 2000;  // tickets searched for times of the reference
constexpr const char* kNothing = "there is nothing at this address";

constexpr const char* kHtml = "text/html; charset=utf-8";
constexpr const char* kJson = "application/json";

constexpr const char* kPagePolicy =
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'";
// The report itself has a stricter policy, which names its one script by its digest; both apply.
constexpr const char* kReportPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'";
constexpr const char* kBoardPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace

std::string bracketed(const std::string& address) {
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

class ClassServer::Routes {
 public:
  Routes(const ServerParts& parts, const ServerOptions& options)
      : parts_(parts),
        options_(options),
        callers_(parts.store, options.proxies),
        views_(parts, options.folder),
        server_(limits(parts, options), [this](const std::string& address, int status, const std::string& sentence) {
          parts_.log.add({"refused", "", address, sentence, status});
        }) {
    install_limits();
    install_headers();
    install_for_programs();
    install_pages();
    install_for_instructors();
  }

  Expected<int> bind();
  void run() { server_.listen_after_bind(); }

 private:
  static ConnectionLimits limits(const ServerParts& parts, const ServerOptions& options) {
    ConnectionLimits limits;
    limits.most_bytes = parts.course.server.largest_upload + 8 * kOverhead;
    limits.proxies.insert(options.proxies.begin(), options.proxies.end());
    return limits;
  }

  void install_limits();
  void install_headers();
  void install_for_programs();
  void install_pages();
  void install_for_instructors();

  std::optional<Refusal> check(const Request& request) const;
  void refuse(const Request& request, Response& response, const Refusal& refusal);
  std::optional<Person> require(const Request& request, Response& response);
  bool require_instructor(const Request& request, Response& response);
  std::optional<Ticket> require_ticket(const Request& request, Response& response, const Person& person);
  std::optional<Receipt> submit(const Request& request, Response& response, const Person& person);

  void send_home(const Request& request, Response& response);
  void send_report(const Request& request, Response& response);
  void send_board(const Request& request, Response& response);
  bool has_board() const { return read_board_file(options_.folder / "board", "").has_value(); }
  void send_instructor(Response& response);
  void send_points(const Request& request, Response& response);
  void act(const char* what, const Request& request, const std::string& detail);

  ServerParts parts_;
  ServerOptions options_;
  RequestRules rules_;
  Callers callers_;
  TicketViews views_;
  GuardedServer server_;
};

// --- what is refused

// Before the body is read.
std::optional<Refusal> ClassServer::Routes::check(const Request& request) const {
  if (auto refusal = check_request(request, rules_)) return refusal;
  if (request.method == "POST" && request.path != "/login" && !callers_.person_of(request))
    return Callers::unknown(request);
  return std::nullopt;
}

void ClassServer::Routes::refuse(const Request& request, Response& response, const Refusal& refusal) {
  response.status = refusal.status;
  if (refusal.retry_after > 0) response.set_header("Retry-After", std::to_string(refusal.retry_after));
  if (refusal.status == 401) response.set_header("WWW-Authenticate", "Bearer");
  if (refusal.status == 405) response.set_header("Allow", "GET, HEAD, POST");
  if (is_for_programs(request))
    response.set_content(error_json(refusal.sentence), kJson);
  else
    response.set_content(message_page(parts_.course, refusal.sentence), kHtml);
  parts_.log.add({"refused", "", callers_.address_of(request),
                  fmt::format("{} {}: {}", request.method, request.path,
                              refusal.detail.empty() ? refusal.sentence : refusal.detail),
                  refusal.status});
}

std::optional<Person> ClassServer::Routes::require(const Request& request, Response& response) {
  auto person = callers_.person_of(request);
  if (!person) refuse(request, response, Callers::unknown(request));
  return person;
}

// Others cannot tell that there is such a page.
bool ClassServer::Routes::require_instructor(const Request& request, Response& response) {
  const auto person = require(request, response);
  if (person && !person->is_instructor) refuse(request, response, {404, kNothing});
  return person && person->is_instructor;
}

std::optional<Ticket> ClassServer::Routes::require_ticket(const Request& request, Response& response,
                                                          const Person& person) {
  const auto found = views_.find(request.matches[1], person);
  if (const auto* ticket = std::get_if<Ticket>(&found)) return *ticket;
  refuse(request, response, std::get<Refusal>(found));
  return std::nullopt;
}

void ClassServer::Routes::install_limits() {
  server_.set_keep_alive_max_count(1);
  server_.set_payload_max_length(parts_.course.server.largest_upload + kOverhead);
  server_.set_tcp_nodelay(true);
  // httplib would also share the port with another server.
  server_.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
  server_.set_pre_routing_handler([this](const Request& request, Response& response) {
    const auto refusal = check(request);
    if (!refusal) return httplib::Server::HandlerResponse::Unhandled;
    refuse(request, response, *refusal);
    return httplib::Server::HandlerResponse::Handled;
  });
  server_.set_expect_100_continue_handler([this](const Request& request, Response& response) {
    const auto refusal = check(request);
    if (!refusal) return 100;
    refuse(request, response, *refusal);
    return refusal->status;
  });
  // For what httplib itself refuses. Refusals from above come here as well, with a body.
  server_.set_error_handler([this](const Request& request, Response& response) {
    if (!response.body.empty()) return;
    const char* sentence = "the request is malformed, or it was cut short";
    if (response.status == 413) sentence = "the request is too large";
    if (response.status == 404) sentence = kNothing;
    refuse(request, response, {response.status, sentence});
  });
  server_.set_exception_handler([this](const Request& request, Response& response, const std::exception_ptr&) {
    refuse(request, response, {500, "the server failed to answer; your instructor can find the request in server.log"});
  });
}

// Of every answer, refusals included. Behind a proxy, browsers speak TLS.
void ClassServer::Routes::install_headers() {
  server_.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                               {"Referrer-Policy", "same-origin"},
                               {"X-Frame-Options", "DENY"},
                               {"Cross-Origin-Opener-Policy", "same-origin"},
                               {"Cross-Origin-Resource-Policy", "same-origin"}});
  server_.set_post_routing_handler([this](const Request&, Response& response) {
    if (callers_.is_from_proxy()) response.set_header("Strict-Transport-Security", "max-age=31536000");
    if (!response.has_header("Content-Security-Policy")) response.set_header("Content-Security-Policy", kPagePolicy);
    if (!response.has_header("Cache-Control")) response.set_header("Cache-Control", "no-store");
  });
}

// --- for programs

std::optional<Receipt> ClassServer::Routes::submit(const Request& request, Response& response, const Person& person) {
  const auto upload = read_upload(request, parts_.labs, parts_.course.server);
  if (const auto* refusal = std::get_if<Refusal>(&upload)) return refuse(request, response, *refusal), std::nullopt;
  const auto& sent = std::get<Upload>(upload);
  const auto taken =
      take_in(sent, person, *find_lab(parts_.labs, sent.lab), parts_.course.server, parts_.store, options_.folder);
  if (const auto* refusal = std::get_if<Refusal>(&taken)) return refuse(request, response, *refusal), std::nullopt;
  parts_.queue.wake();
  return std::get<Receipt>(taken);
}

void ClassServer::Routes::install_for_programs() {
  server_.Post("/api/submissions", [this](const Request& request, Response& response) {
    const auto person = require(request, response);
    if (!person) return;
    const auto receipt = submit(request, response, *person);
    if (!receipt) return;
    const auto place = parts_.store.place(receipt->ticket);
    response.status = receipt->is_repeat ? 200 : 201;
    response.set_content(fmt::format("{{\"ticket\":\"{}\",\"place\":{}}}\n", receipt->ticket, place ? *place : 0),
                         kJson);
  });
  server_.Get("/api/tickets/([0-9a-f]+)", [this](const Request& request, Response& response) {
    const auto person = require(request, response);
    if (!person) return;
    if (const auto ticket = require_ticket(request, response, *person))
      response.set_content(views_.json(*ticket, *person) + "\n", kJson);
  });
  server_.Get("/api/tickets/([0-9a-f]+)/verdict", [this](const Request& request, Response& response) {
    const auto person = require(request, response);
    if (!person) return;
    const auto ticket = require_ticket(request, response, *person);
    if (!ticket) return;
    const auto text = views_.verdict_text(*ticket, *person);
    if (const auto* refusal = std::get_if<Refusal>(&text)) return refuse(request, response, *refusal);
    response.set_content(std::get<std::string>(text), "text/plain; charset=utf-8");
  });
  server_.Get("/api/history", [this](const Request& request, Response& response) {
    const auto person = require(request, response);
    if (!person) return;
    const auto tickets = parts_.store.tickets_of(person->id, kMostLines);
    if (!tickets) return refuse(request, response, troubled(tickets.failure()));
    std::vector<std::string> objects;
    for (const Ticket& ticket : *tickets) objects.push_back(views_.json(ticket, *person));
    response.set_content(
        fmt::format("{{\"student\":\"{}\",\"submissions\":[{}]}}\n", person->id, fmt::join(objects, ",")), kJson);
  });
}

// --- pages

void ClassServer::Routes::send_home(const Request& request, Response& response) {
  const auto person = callers_.person_of(request);
  if (!person) return response.set_content(login_page(parts_.course), kHtml);
  const auto tickets = parts_.store.tickets_of(person->id, kMostLines);
  if (!tickets) return refuse(request, response, troubled(tickets.failure()));
  response.set_content(student_page(parts_.course, *person, parts_.labs, views_.lines(*tickets, *person), has_board()),
                       kHtml);
}

void ClassServer::Routes::send_report(const Request& request, Response& response) {
  const auto person = require(request, response);
  if (!person) return;
  const auto ticket = require_ticket(request, response, *person);
  if (!ticket) return;
  const auto page = views_.report_page(*ticket, *person);
  if (const auto* refusal = std::get_if<Refusal>(&page)) return refuse(request, response, *refusal);
  response.set_header("Content-Security-Policy", kReportPolicy);
  response.set_content(std::get<std::string>(page), kHtml);
}

void ClassServer::Routes::send_board(const Request& request, Response& response) {
  const auto person = callers_.person_of(request);
  const bool is_shown = parts_.course.server.shows_board || (person && person->is_instructor);
  if (is_shown && request.path == "/board") return response.set_redirect("/board/");
  const auto file = is_shown ? read_board_file(options_.folder / "board", request.matches[1]) : std::nullopt;
  if (!file) return refuse(request, response, {404, "there is no board here"});
  response.set_header("Content-Security-Policy", kBoardPolicy);
  response.set_content(file->content, file->type);
}

void ClassServer::Routes::install_pages() {
  server_.Get("/", [this](const Request& request, Response& response) { send_home(request, response); });
  server_.Get("/style.css", [](const Request&, Response& response) {
    response.set_header("Cache-Control", "max-age=3600");
    response.set_content(kServerStyle, "text/css; charset=utf-8");
  });
  server_.Post("/login", [this](const Request& request, Response& response) {
    const auto login = callers_.log_in(request);
    if (const auto* refusal = std::get_if<Refusal>(&login)) return refuse(request, response, *refusal);
    const auto& [person, cookie] = std::get<Callers::Login>(login);
    response.set_header("Set-Cookie", cookie);
    response.set_redirect(person.is_instructor ? "/instructor" : "/", 303);
  });
  server_.Post("/logout", [this](const Request& request, Response& response) {
    const auto cookie = callers_.log_out(request);
    if (const auto* refusal = std::get_if<Refusal>(&cookie)) return refuse(request, response, *refusal);
    response.set_header("Set-Cookie", std::get<std::string>(cookie));
    response.set_redirect("/", 303);
  });
  server_.Post("/submissions", [this](const Request& request, Response& response) {
    const auto person = require(request, response);
    if (person && submit(request, response, *person)) response.set_redirect("/", 303);
  });
  server_.Get("/tickets/([0-9a-f]+)/report",
              [this](const Request& request, Response& response) { send_report(request, response); });
  server_.Get("/board(?:/(.*))?",
              [this](const Request& request, Response& response) { send_board(request, response); });
}

// --- for instructors

void ClassServer::Routes::act(const char* what, const Request& request, const std::string& detail) {
  parts_.log.add({what, kInstructor, callers_.address_of(request), detail, 0});
}

void ClassServer::Routes::send_instructor(Response& response) {
  const Person instructor{kInstructor, true};
  ClassState state;
  state.has_board = has_board();
  if (const auto is_paused = parts_.store.is_paused()) state.is_paused = *is_paused;
  if (const auto queue = parts_.store.queue(kMostLines)) state.queue = views_.lines(*queue, instructor);
  if (auto latest = parts_.store.tickets(kMostLooked)) {
    std::copy_if(latest->rbegin(), latest->rend(), std::back_inserter(state.timed),
                 [](const Ticket& ticket) { return ticket.outcome.reference_ms > 0; });
    latest->resize(std::min(latest->size(), kMostLines));
    state.latest = views_.lines(*latest, instructor);
  }
  response.set_content(instructor_page(parts_.course, state), kHtml);
}

void ClassServer::Routes::send_points(const Request& request, Response& response) {
  const auto tickets = parts_.store.tickets(std::numeric_limits<std::int32_t>::max());
  if (!tickets) return refuse(request, response, troubled(tickets.failure()));
  act("exported", request, "points.csv");
  response.set_header("Content-Disposition", "attachment; filename=\"points.csv\"");
  response.set_content(points_csv(parts_.course, parts_.students, *tickets), "text/csv; charset=utf-8");
}

void ClassServer::Routes::install_for_instructors() {
  server_.Get("/instructor", [this](const Request& request, Response& response) {
    if (require_instructor(request, response)) send_instructor(response);
  });
  server_.Get("/instructor/points.csv", [this](const Request& request, Response& response) {
    if (require_instructor(request, response)) send_points(request, response);
  });
  for (const bool is_pause : {true, false})
    server_.Post(is_pause ? "/instructor/pause" : "/instructor/resume",
                 [this, is_pause](const Request& request, Response& response) {
                   if (!require_instructor(request, response)) return;
                   if (const auto failure = parts_.store.set_paused(is_pause))
                     return refuse(request, response, troubled(*failure));
                   act(is_pause ? "paused" : "resumed", request, "");
                   parts_.queue.wake();
                   response.set_redirect("/instructor", 303);
                 });
  server_.Post("/instructor/regrade", [this](const Request& request, Response& response) {
    if (!require_instructor(request, response)) return;
    const std::string ticket = request.get_param_value("ticket");
    const auto is_regraded = parts_.store.regrade(ticket);
    if (!is_regraded) return refuse(request, response, troubled(is_regraded.failure()));
    if (!*is_regraded) return refuse(request, response, {404, "no graded submission has that ticket"});
    act("regrade", request, ticket);
    parts_.queue.wake();
    response.set_redirect("/instructor", 303);
  });
}

// --- the port

Expected<int> ClassServer::Routes::bind() {
  int port = options_.port;
  const bool is_bound = port == 0 ? (port = server_.bind_to_any_port(options_.address)) > 0
                                  : server_.bind_to_port(options_.address, port);
  if (!is_bound)
    return Failure{
        fmt::format("cannot listen on {}:{}: is another program using the port, or is the address not this "
                    "machine's?",
                    bracketed(options_.address), options_.port)};
  rules_.largest_upload = parts_.course.server.largest_upload + kOverhead;
  std::vector<std::string> names = options_.hosts;
  names.insert(names.end(), {bracketed(options_.address), "localhost", "127.0.0.1", "[::1]"});
  for (const std::string& name : names) {
    rules_.hosts.push_back(lower_case(fmt::format("{}:{}", name, port)));
    if (port == 80) rules_.hosts.push_back(lower_case(name));
  }
  for (const std::string& host : options_.hosts) rules_.hosts.push_back(lower_case(host));  // as a proxy passes it on
  return port;
}

ClassServer::ClassServer(const ServerParts& parts, const ServerOptions& options)
    : routes_(std::make_unique<Routes>(parts, options)) {}
ClassServer::~ClassServer() = default;
Expected<int> ClassServer::bind() { return routes_->bind(); }
void ClassServer::run() { routes_->run(); }

}  // namespace lanewise
