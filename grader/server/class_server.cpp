// Routes: who asks, what for, and what they may see.
#include "grader/server/class_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <nlohmann/json.hpp>

#include "grader/grading/digest.h"
#include "grader/server/guarded_server.h"
#include "grader/server/intake.h"
#include "grader/server/pages.h"
#include "grader/server/request_check.h"
#include "grader/server/shown_verdict.h"
#include "grader/server/submission_files.h"
#include "harness/lab/read_file.h"
#include "harness/report/html_report.h"
#include "harness/report/json_report.h"
#include "harness/report/text_report.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;
using httplib::Request;
using httplib::Response;
using Json = nlohmann::ordered_json;

constexpr std::size_t kOverhead = 8192;  // of multipart/form-data
constexpr std::size_t kMostLines = 200;  // of a table on a page
constexpr std::int64_t kSessionSeconds = 12 * 3600;
constexpr std::uintmax_t kLargestBoardFile = 64 << 20;
constexpr const char* kUnknownTicket = "there is no such ticket";
constexpr const char* kNotTheirFault =
    "through no fault of yours; your instructor sees why, and can have it graded again";
constexpr const char* kHtml = "text/html; charset=utf-8";
constexpr const char* kCookie = "lanewise_session=";

constexpr const char* kPagePolicy =
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'";
// The report names its one script by its digest in a policy of its own, and both must be met.
constexpr const char* kReportPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'";
constexpr const char* kBoardPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

constexpr std::array<std::pair<const char*, const char*>, 8> kBoardTypes = {{{".html", kHtml},
                                                                             {".css", "text/css; charset=utf-8"},
                                                                             {".js", "text/javascript; charset=utf-8"},
                                                                             {".json", "application/json"},
                                                                             {".svg", "image/svg+xml"},
                                                                             {".png", "image/png"},
                                                                             {".csv", "text/csv; charset=utf-8"},
                                                                             {".txt", "text/plain; charset=utf-8"}}};

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string small(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string session_in(const Request& request) {
  const std::string cookies = request.get_header_value("Cookie");
  const std::string name = kCookie;
  for (std::size_t at = 0; (at = cookies.find(name, at)) != std::string::npos; at += name.size())
    if (at == 0 || cookies[at - 1] == ' ' || cookies[at - 1] == ';') {
      const std::size_t begin = at + name.size();
      return cookies.substr(begin, cookies.find(';', begin) - begin);
    }
  return "";
}

std::string bearer_in(const Request& request) {
  const std::string header = request.get_header_value("Authorization");
  return header.rfind("Bearer ", 0) == 0 ? header.substr(7) : "";
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
        server_(limits(parts, options), [this](const std::string& address, int status, const std::string& sentence) {
          parts_.log.add({"refused", "", address, sentence, status});
        }) {
    install();
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

  void install();
  void install_for_programs();
  void install_pages();
  void install_for_instructors();

  bool is_from_proxy() const {
    return std::find(options_.proxies.begin(), options_.proxies.end(), GuardedServer::client_address()) !=
           options_.proxies.end();
  }
  std::string address_of(const Request& request) const;
  void refuse(const Request& request, Response& response, const Refusal& refusal);
  void trouble(const Request& request, Response& response, const Failure& failure) {
    refuse(request, response, troubled(failure));
  }
  std::optional<Person> person_of(const Request& request);
  std::optional<Person> require(const Request& request, Response& response);
  bool require_instructor(const Request& request, Response& response);
  std::optional<Refusal> check(const Request& request);

  bool may_see_scores(const Person& person) const { return person.is_instructor || parts_.course.server.shows_verdict; }
  std::optional<Ticket> ticket_in(const Request& request, Response& response, const Person& person);
  std::optional<Verdict> verdict_in(const Request& request, Response& response, const Person& person,
                                    const Ticket& ticket);
  TicketLine line_of(const Ticket& ticket, const Person& person);
  Json json_of(const Ticket& ticket, const Person& person);
  std::optional<Receipt> submit(const Request& request, Response& response, const Person& person);
  void report(const Request& request, Response& response);
  void board(const Request& request, Response& response);
  void log_in(const Request& request, Response& response);
  void show_home(const Request& request, Response& response);
  void show_instructor(Response& response);
  void act(const char* what, const Request& request, const std::string& detail);

  ServerParts parts_;
  ServerOptions options_;
  RequestRules rules_;
  GuardedServer server_;
};

// --- who asks

std::string ClassServer::Routes::address_of(const Request& request) const {
  const std::string forwarded = request.get_header_value("X-Forwarded-For");
  if (forwarded.empty() || !is_from_proxy()) return GuardedServer::client_address();
  const std::size_t comma = forwarded.rfind(',');  // the last one is the proxy's own; those before it are claims
  const std::size_t begin = comma == std::string::npos ? 0 : forwarded.find_first_not_of(' ', comma + 1);
  return begin == std::string::npos ? GuardedServer::client_address() : forwarded.substr(begin);
}

void ClassServer::Routes::refuse(const Request& request, Response& response, const Refusal& refusal) {
  response.status = refusal.status;
  if (refusal.retry_after > 0) response.set_header("Retry-After", std::to_string(refusal.retry_after));
  if (refusal.status == 401) response.set_header("WWW-Authenticate", "Bearer");
  if (refusal.status == 405) response.set_header("Allow", "GET, HEAD, POST");
  if (is_for_programs(request))
    response.set_content(text_of({{"error", refusal.sentence}}), "application/json");
  else
    response.set_content(message_page("Lanewise", refusal.sentence), kHtml);
  parts_.log.add({"refused", "", address_of(request),
                  fmt::format("{} {}: {}", request.method, request.path,
                              refusal.detail.empty() ? refusal.sentence : refusal.detail),
                  refusal.status});
}

std::optional<Person> ClassServer::Routes::person_of(const Request& request) {
  const std::string secret = is_for_programs(request) ? bearer_in(request) : session_in(request);
  if (secret.empty()) return std::nullopt;
  const auto person = is_for_programs(request) ? parts_.store.person_with_token(sha256_of(secret))
                                               : parts_.store.person_in_session(sha256_of(secret), std::time(nullptr));
  return person ? *person : std::nullopt;
}

std::optional<Person> ClassServer::Routes::require(const Request& request, Response& response) {
  auto person = person_of(request);
  if (!person)
    refuse(request, response,
           {401, is_for_programs(request) ? "the token is missing, unknown or revoked" : "log in first"});
  return person;
}

// Others cannot tell that there is anything.
bool ClassServer::Routes::require_instructor(const Request& request, Response& response) {
  const auto person = require(request, response);
  if (person && !person->is_instructor) refuse(request, response, {404, "there is nothing under this address"});
  return person && person->is_instructor;
}

// Before the body is read.
std::optional<Refusal> ClassServer::Routes::check(const Request& request) {
  if (auto refusal = check_request(request, rules_)) return refusal;
  if (request.method == "POST" && request.path != "/login" && !person_of(request))
    return Refusal{401, is_for_programs(request) ? "the token is missing, unknown or revoked" : "log in first"};
  return std::nullopt;
}

// --- what is shown of a ticket

std::optional<Ticket> ClassServer::Routes::ticket_in(const Request& request, Response& response, const Person& person) {
  const auto ticket = parts_.store.find(request.matches[1]);
  if (!ticket) return trouble(request, response, ticket.failure()), std::nullopt;
  if (*ticket && (person.is_instructor || (*ticket)->sent.student == person.id)) return *ticket;
  refuse(request, response, {404, kUnknownTicket});
  return std::nullopt;
}

std::optional<Verdict> ClassServer::Routes::verdict_in(const Request& request, Response& response, const Person& person,
                                                       const Ticket& ticket) {
  const auto json = parts_.store.verdict(ticket.sent.ticket);
  if (!json) return trouble(request, response, json.failure()), std::nullopt;
  if (json->empty()) return refuse(request, response, {404, "this submission has no verdict yet"}), std::nullopt;
  if (!may_see_scores(person))
    return refuse(request, response, {403, "your instructor does not show verdicts"}), std::nullopt;
  const auto verdicts = read_json_report(*json);
  if (!verdicts || verdicts->size() != 1)
    return refuse(request, response,
                  {503, "the verdict is of another version of lanewise; your instructor can have it regraded"}),
           std::nullopt;
  return person.is_instructor ? verdicts->front()
                              : shown_verdict(verdicts->front(), parts_.course.server, parts_.secrets);
}

TicketLine ClassServer::Routes::line_of(const Ticket& ticket, const Person& person) {
  TicketLine line{ticket, 0, "", ""};
  if (ticket.state == TicketState::kWaiting)
    if (const auto place = parts_.store.place(ticket.sent.ticket)) line.place = *place;
  if (ticket.state == TicketState::kGrading) line.progress = parts_.queue.progress_of(ticket.sent.ticket);
  if (!ticket.outcome.pictures.empty() && may_see_scores(person)) line.score = score_text(parts_.course, ticket);
  if (person.is_instructor) return line;
  line.progress = shown_progress(line.progress, ticket.sent.lab, parts_.course.server, parts_.secrets);
  if (ticket.state == TicketState::kFailed) line.ticket.outcome.trouble = kNotTheirFault;
  return line;
}

Json ClassServer::Routes::json_of(const Ticket& ticket, const Person& person) {
  const TicketLine line = line_of(ticket, person);
  Json json{{"ticket", ticket.sent.ticket},
            {"lab", ticket.sent.lab},
            {"received", moment_text(ticket.sent.received)},
            {"state", name_of(ticket.state)}};
  if (line.place > 0) json["place"] = line.place;
  if (ticket.state == TicketState::kGrading) json["progress"] = line.progress;
  if (ticket.state == TicketState::kFailed) json["sentence"] = line.ticket.outcome.trouble;
  if (ticket.state == TicketState::kReplaced) json["replaced_by"] = ticket.replaced_by;
  if (!line.score.empty()) {
    json["score"] = line.score;
    json["points"] = ticket.outcome.points;
    json["max_points"] = ticket.outcome.max_points;
  }
  return json;
}

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

void ClassServer::Routes::report(const Request& request, Response& response) {
  const auto person = require(request, response);
  if (!person) return;
  const auto ticket = ticket_in(request, response, *person);
  if (!ticket) return;
  const auto verdict = verdict_in(request, response, *person, *ticket);
  if (!verdict) return;
  const LabSelection* lab = find_lab(parts_.labs, ticket->sent.lab);
  HtmlSources sources;
  sources.source_name = verdict->submission;
  sources.pictures = folder_of_ticket(options_.folder, ticket->outcome.pictures) / "pictures";
  if (lab != nullptr)
    if (const auto source = read_file(folder_of_ticket(options_.folder, ticket->sent.ticket) / lab->file.skeleton,
                                      parts_.course.server.largest_upload))
      sources.source = *source;
  response.set_header("Content-Security-Policy", kReportPolicy);
  response.set_content(html_report(*verdict, sources), kHtml);
}

// Public files below COURSE/board; the path has no component that begins with a dot.
void ClassServer::Routes::board(const Request& request, Response& response) {
  const auto person = person_of(request);
  const Refusal nothing{404, "there is no board here"};
  if (!parts_.course.server.shows_board && !(person && person->is_instructor))
    return refuse(request, response, nothing);
  if (request.path == "/board") return response.set_redirect("/board/");
  std::string below = request.matches[1];
  if (below.empty() || below.back() == '/') below += "index.html";
  std::error_code error;
  const fs::path root = fs::canonical(options_.folder / "board", error);
  const fs::path file = error ? fs::path() : fs::canonical(root / below, error);
  const std::string relative = error ? "" : file.lexically_relative(root).string();
  const std::string type = file.extension().string();
  const auto known =
      std::find_if(kBoardTypes.begin(), kBoardTypes.end(), [&](const auto& each) { return type == each.first; });
  if (relative.empty() || relative.rfind("..", 0) == 0 || relative.rfind("private", 0) == 0 ||
      known == kBoardTypes.end())
    return refuse(request, response, nothing);
  const auto content = read_file(file, kLargestBoardFile);
  if (!content) return refuse(request, response, nothing);
  response.set_header("Content-Security-Policy", kBoardPolicy);
  response.set_content(*content, known->second);
}

// --- routes

void ClassServer::Routes::install() {
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
  // Whatever httplib refuses by itself. All of it comes by, also what has been refused above.
  server_.set_error_handler([this](const Request& request, Response& response) {
    if (response.body.empty())
      refuse(request, response,
             {response.status, response.status == 413   ? "the request is too large"
                               : response.status == 404 ? "there is nothing under this address"
                                                        : "the request is malformed, or it was cut short"});
  });
  server_.set_exception_handler([this](const Request& request, Response& response, const std::exception_ptr&) {
    refuse(request, response, {500, "the server could not answer; its instructor finds the request in server.log"});
  });
  // Headers of every answer, also of refusals. Behind a proxy, browsers speak TLS.
  server_.set_post_routing_handler([this](const Request&, Response& response) {
    if (is_from_proxy()) response.set_header("Strict-Transport-Security", "max-age=31536000");
    if (!response.has_header("Content-Security-Policy")) response.set_header("Content-Security-Policy", kPagePolicy);
    if (!response.has_header("Cache-Control")) response.set_header("Cache-Control", "no-store");
  });
  server_.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                               {"Referrer-Policy", "same-origin"},
                               {"X-Frame-Options", "DENY"},
                               {"Cross-Origin-Opener-Policy", "same-origin"},
                               {"Cross-Origin-Resource-Policy", "same-origin"}});
  install_for_programs();
  install_pages();
  install_for_instructors();
}

void ClassServer::Routes::install_for_programs() {
  server_.Post("/api/submissions", [this](const Request& request, Response& response) {
    const auto person = require(request, response);
    if (!person) return;
    const auto receipt = submit(request, response, *person);
    if (!receipt) return;
    Json json{{"ticket", receipt->ticket}};
    if (const auto place = parts_.store.place(receipt->ticket)) json["place"] = *place;
    response.status = receipt->is_repeat ? 200 : 201;
    response.set_content(text_of(json), "application/json");
  });
  server_.Get("/api/tickets/([0-9a-f]+)", [this](const Request& request, Response& response) {
    const auto person = require(request, response);
    if (!person) return;
    if (const auto ticket = ticket_in(request, response, *person))
      response.set_content(text_of(json_of(*ticket, *person)), "application/json");
  });
  server_.Get("/api/tickets/([0-9a-f]+)/verdict", [this](const Request& request, Response& response) {
    const auto person = require(request, response);
    if (!person) return;
    const auto ticket = ticket_in(request, response, *person);
    if (!ticket) return;
    if (const auto verdict = verdict_in(request, response, *person, *ticket))
      response.set_content(text_report(*verdict, TextStyle{}), "text/plain; charset=utf-8");
  });
  server_.Get("/api/history", [this](const Request& request, Response& response) {
    const auto person = require(request, response);
    if (!person) return;
    const auto tickets = parts_.store.tickets_of(person->id, kMostLines);
    if (!tickets) return trouble(request, response, tickets.failure());
    Json list = Json::array();
    for (const Ticket& ticket : *tickets) list.push_back(json_of(ticket, *person));
    response.set_content(text_of({{"student", person->id}, {"submissions", list}}), "application/json");
  });
}

void ClassServer::Routes::log_in(const Request& request, Response& response) {
  const std::string token = request.get_param_value("token");
  const auto person = parts_.store.person_with_token(sha256_of(token));
  if (!person) return trouble(request, response, person.failure());
  if (request.params.size() != 1 || !*person)
    return refuse(request, response, {401, "the token is unknown or revoked"});
  const std::string session = random_name(256);
  if (const auto failure =
          parts_.store.begin_session((*person)->id, sha256_of(session), std::time(nullptr) + kSessionSeconds))
    return trouble(request, response, *failure);
  response.set_header("Set-Cookie", fmt::format("{}{}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{}", kCookie,
                                                session, kSessionSeconds, is_from_proxy() ? "; Secure" : ""));
  response.set_redirect((*person)->is_instructor ? "/instructor" : "/", 303);
}

void ClassServer::Routes::show_home(const Request& request, Response& response) {
  const auto person = person_of(request);
  if (!person)
    return response.set_content(login_page(parts_.course.title.empty() ? "Lanewise" : parts_.course.title), kHtml);
  const auto tickets = parts_.store.tickets_of(person->id, kMostLines);
  if (!tickets) return trouble(request, response, tickets.failure());
  std::vector<TicketLine> lines;
  for (const Ticket& ticket : *tickets) lines.push_back(line_of(ticket, *person));
  response.set_content(student_page(parts_.course, *person, parts_.labs, lines), kHtml);
}

void ClassServer::Routes::install_pages() {
  server_.Get("/", [this](const Request& request, Response& response) { show_home(request, response); });
  server_.Get("/style.css", [](const Request&, Response& response) {
    response.set_header("Cache-Control", "max-age=3600");
    response.set_content(kServerStyle, "text/css; charset=utf-8");
  });
  server_.Post("/login", [this](const Request& request, Response& response) { log_in(request, response); });
  server_.Post("/logout", [this](const Request& request, Response& response) {
    if (const auto failure = parts_.store.end_session(sha256_of(session_in(request))))
      return trouble(request, response, *failure);
    response.set_header("Set-Cookie", fmt::format("{}; Path=/; HttpOnly; SameSite=Strict; Max-Age=0", kCookie));
    response.set_redirect("/", 303);
  });
  server_.Post("/submissions", [this](const Request& request, Response& response) {
    const auto person = require(request, response);
    if (person && submit(request, response, *person)) response.set_redirect("/", 303);
  });
  server_.Get("/tickets/([0-9a-f]+)/report",
              [this](const Request& request, Response& response) { report(request, response); });
  server_.Get("/board(?:/(.*))?", [this](const Request& request, Response& response) { board(request, response); });
}

void ClassServer::Routes::act(const char* what, const Request& request, const std::string& detail) {
  parts_.log.add({what, kInstructor, address_of(request), detail, 0});
}

void ClassServer::Routes::show_instructor(Response& response) {
  const Person instructor{kInstructor, true};
  ClassState state;
  if (const auto is_paused = parts_.store.is_paused()) state.is_paused = *is_paused;
  if (const auto queue = parts_.store.queue(kMostLines))
    for (const Ticket& ticket : *queue) state.queue.push_back(line_of(ticket, instructor));
  if (const auto latest = parts_.store.tickets(10 * kMostLines)) {
    for (const Ticket& ticket : *latest)
      if (state.latest.size() < kMostLines) state.latest.push_back(line_of(ticket, instructor));
    std::copy_if(latest->rbegin(), latest->rend(), std::back_inserter(state.timed),
                 [](const Ticket& ticket) { return ticket.outcome.reference_ms > 0; });
  }
  response.set_content(instructor_page(parts_.course, state), kHtml);
}

void ClassServer::Routes::install_for_instructors() {
  server_.Get("/instructor", [this](const Request& request, Response& response) {
    if (require_instructor(request, response)) show_instructor(response);
  });
  server_.Get("/instructor/points.csv", [this](const Request& request, Response& response) {
    if (!require_instructor(request, response)) return;
    const auto tickets = parts_.store.tickets(std::numeric_limits<std::int32_t>::max());
    if (!tickets) return trouble(request, response, tickets.failure());
    act("exported", request, "points.csv");
    response.set_header("Content-Disposition", "attachment; filename=\"points.csv\"");
    response.set_content(points_csv(parts_.course, parts_.students, *tickets), "text/csv; charset=utf-8");
  });
  for (const bool is_pause : {true, false})
    server_.Post(is_pause ? "/instructor/pause" : "/instructor/resume",
                 [this, is_pause](const Request& request, Response& response) {
                   if (!require_instructor(request, response)) return;
                   if (const auto failure = parts_.store.set_paused(is_pause))
                     return trouble(request, response, *failure);
                   act(is_pause ? "paused" : "resumed", request, "");
                   parts_.queue.wake();
                   response.set_redirect("/instructor", 303);
                 });
  server_.Post("/instructor/regrade", [this](const Request& request, Response& response) {
    if (!require_instructor(request, response)) return;
    const std::string ticket = request.get_param_value("ticket");
    const auto is_regraded = parts_.store.regrade(ticket);
    if (!is_regraded) return trouble(request, response, is_regraded.failure());
    if (!*is_regraded) return refuse(request, response, {404, "no graded submission has that ticket"});
    act("regrade", request, ticket);
    parts_.queue.wake();
    response.set_redirect("/instructor", 303);
  });
}

Expected<int> ClassServer::Routes::bind() {
  int port = options_.port;
  const bool is_bound = port == 0 ? (port = server_.bind_to_any_port(options_.address)) > 0
                                  : server_.bind_to_port(options_.address, port);
  if (!is_bound)
    return Failure{
        fmt::format("{}:{} cannot be listened on: is another program using the port, or is the address not "
                    "this machine's?",
                    options_.address, options_.port)};
  rules_.largest_upload = parts_.course.server.largest_upload + kOverhead;
  std::vector<std::string> names = options_.hosts;
  names.insert(names.end(), {bracketed(options_.address), "localhost", "127.0.0.1"});
  for (const std::string& name : names) {
    rules_.hosts.push_back(small(fmt::format("{}:{}", name, port)));
    if (port == 80) rules_.hosts.push_back(small(name));
  }
  for (const std::string& host : options_.hosts) rules_.hosts.push_back(small(host));  // as a proxy passes it on
  return port;
}

ClassServer::ClassServer(const ServerParts& parts, const ServerOptions& options)
    : routes_(std::make_unique<Routes>(parts, options)) {}
ClassServer::~ClassServer() = default;
Expected<int> ClassServer::bind() { return routes_->bind(); }
void ClassServer::run() { routes_->run(); }

}  // namespace lanewise
