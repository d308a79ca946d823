#if Sandbox
/// A package for `new-port`, and the bodies that its author then writes.
enum NewPortBodies {
    static let port = """
        /// What the app shows of the sky.
        public protocol Weather: Sendable {
          /// - Throws: `notFound` for a city without a forecast.
          func forecast(_ city: String) async throws -> Forecast

          /// One page of the cities, in their order.
          func cities(after cursor: String?, limit: Int) async throws -> CityPage

          /// The alarms, as they are raised.
          func alarms() -> any AsyncSequence<Alarm, any Error> & Sendable

          /// Lets a station measure again.
          func measure(at station: Station, urgently: Bool) async throws

          func stations() async throws -> [Station]
        }

        """

    static let oddPort = """
        @available(macOS 15, *)
        package protocol Weather: Sendable, SendableMetatype {
          func `default`() async throws -> Forecast?
          func forecast(_ city: String) async throws -> Forecast
          func forecast(for station: Station) async throws -> [Forecast]
          func forecast(in _: Int) async throws -> String
          func picture(of city: String, step: @escaping @Sendable (Int) -> Void) async throws -> Int
          func page(limit: Int, after cursor: String?) async throws -> CityPage
          @discardableResult func close() async throws(any Error) -> Bool
          func alarms(at: Station, _ count: Int) -> any AsyncSequence<Alarm, any Error> & Sendable
          func map(_ names: [String: (Int, Int)], `in`: (@Sendable () -> Void)?) async throws
          func orders(_ request: PageRequest) async throws -> Paged<Order>
          func order(_ id: Order.ID) async throws -> Order
          func lines(of id: Order.ID, after: Token?, limit: Int) async throws -> Paged<Order.Line>
          func found(matching search: Search) async throws -> Paged<Order>
          func loadFailure(_ id: Order.ID) async throws -> Order
          func failure(_ order: Order.ID) async throws -> Order
          func changes() -> any AsyncSequence<Order.Line, any Error> & Sendable
          func `self`(`self` call: Int, stream: String) async throws -> Int
          func call(_ operation: Int, _ port: Int, `default`: Int, `init`: Int) async throws
          func stream(of input: Int, rules: Int, `class`: Int, subject: Int) async throws
          func rules(`where` place: Int, vendor: Int, effect: Int, page: Int) async throws
          func families(all: Int, held: Int, query: Int, list: Int, `protocol`: Int) async throws
        }

        """

    static let values = """
        public import Foundation

        public struct Forecast: Sendable, Hashable {
          public var city: String
          public var celsius: Double?
          public var isRaining: Bool

          public init(city: String, celsius: Double?, isRaining: Bool) {
            self.city = city
            self.celsius = celsius
            self.isRaining = isRaining
          }
        }

        public struct CityPage: Sendable {
          public var cities: [String]
          public var next: String?

          public init(cities: [String], next: String?) {
            self.cities = cities
            self.next = next
          }
        }

        public struct Alarm: Sendable, Hashable {
          public var number: Int

          public init(number: Int) { self.number = number }
        }

        public struct Station: Sendable, Hashable {
          public var name: String

          public init(_ name: String) { self.name = name }
        }

        public struct Order: Sendable, Hashable {
          public struct ID: Sendable, Hashable {
            public let raw: String

            public init(raw: String) { self.raw = raw }
          }

          public let id: ID
          public var lines: [Line]
          public var placed: Date
          public var seal: [UInt8]

          public init(id: ID, lines: [Line], placed: Date, seal: [UInt8]) {
            (self.id, self.lines, self.placed, self.seal) = (id, lines, placed, seal)
          }
        }

        extension Order {
          public struct Line: Sendable, Hashable {
            public var count: Int

            public init(count: Int) { self.count = count }
          }
        }

        public struct Token: Sendable, Hashable {
          public let text: String

          public init(_ text: String) { self.text = text }
        }

        public struct PageRequest: Sendable, Hashable {
          public var cursor: Token?
          public var limit: Int

          public init(cursor: Token? = nil, limit: Int = 50) { (self.cursor, self.limit) = (cursor, limit) }
        }

        public struct Search: Sendable, Hashable {
          public var words: String
          public var page: PageRequest

          public init(words: String, page: PageRequest = PageRequest()) {
            (self.words, self.page) = (words, page)
          }
        }

        public struct Paged<Item: Sendable>: Sendable {
          public var items: [Item]
          public var next: Token?

          public init(items: [Item], next: Token?) { (self.items, self.next) = (items, next) }
        }

        public enum WeatherError: Error, Equatable {
          case notFound, badCursor, lost, slow, late, unsure, closed
          /// Whether a retry can help depends on why.
          case refused(isRetryable: Bool, after: Duration?)
        }

        """

    /// The vendor's SDK, for all three.
    static let vendor = #"""
        import Synchronization

        public final class Sky: Sendable {
          public struct State: Sendable {
            public var degrees: [String: (degrees: Double?, rain: Bool)] = [:]
            public var names: [String] = []
            public var oddity: Oddity?
            /// Tokens that are good, with the name after which they go on, and whether an empty page came before.
            public var places: [String: (after: String, hasPaused: Bool)] = [:]
            var listeners: [Int: @Sendable (Int?) -> Void] = [:]
            var count = 0
            /// What the next calls of a name meet with, so many times.
            public var troubles: [String: (trouble: Trouble, times: Int)] = [:]
            public var visits: [String: Int] = [:]
            var held: [Int: CheckedContinuation<Void, any Error>] = [:]
            var isClosed = false
          }

          public enum Trouble: Error, Sendable { case hold, lost, closed, refused(Int, after: Duration?) }

          public enum Oddity: Sendable { case emptyPage, emptyToken, repeatedToken }

          public let state = Mutex(State())

          public init() {}

          /// At most 50 names; nil for a token that it does not know.
          public func page(token: String?, count: Int) -> (names: [String], next: String?)? {
            state.withLock { state in
              var after = ""
              if let token {
                guard let place = state.places[token] else { return nil }
                after = place.after
                if state.oddity == .emptyPage, !place.hasPaused { return ([], Self.token((after, true), &state)) }
              }
              let rest = state.names.filter { $0 > after }
              let names = Array(rest.prefix(min(max(1, count), 50)))
              guard let last = names.last, names.count < rest.count else { return (names, nil) }
              if state.oddity == .repeatedToken, let token { return (names, token) }
              if state.oddity == .emptyToken, token == nil {
                state.places[""] = (last, false)
                return (names, "")
              }
              return (names, Self.token((last, false), &state))
            }
          }

          /// Comes to the vendor, and returns once it answers.
          public func visit(_ name: String) async throws {
            try Task.checkCancellation()
            let trouble = state.withLock { state -> Trouble? in
              if state.isClosed { return .closed }
              state.visits[name, default: 0] += 1
              guard let next = state.troubles[name], next.times > 0 else { return nil }
              state.troubles[name] = (next.trouble, next.times - 1)
              return next.trouble
            }
            guard let trouble else { return }
            guard case .hold = trouble else { throw trouble }
            let id = state.withLock { state in
              state.count += 1
              return state.count
            }
            try await withTaskCancellationHandler {
              try await withCheckedThrowingContinuation { continuation in
                let end = state.withLock { state -> (any Error)? in
                  if Task.isCancelled { return CancellationError() }
                  if state.isClosed { return Trouble.closed }
                  state.held[id] = continuation
                  return nil
                }
                if let end { continuation.resume(throwing: end) }
              }
            } onCancel: {
              state.withLock { $0.held.removeValue(forKey: id) }?.resume(throwing: CancellationError())
            }
          }

          public func release() { for call in takeHeld() { call.resume() } }

          public func close() {
            state.withLock { $0.isClosed = true }
            for call in takeHeld() { call.resume(throwing: Trouble.closed) }
          }

          private func takeHeld() -> [CheckedContinuation<Void, any Error>] {
            state.withLock { state in
              defer { state.held = [:] }
              return Array(state.held.values)
            }
          }

          public func wait(until isSo: @Sendable (State) -> Bool) async throws {
            while !state.withLock({ isSo($0) }) {
              try Task.checkCancellation()
              await Task.yield()
            }
          }

          public func waitForHeld(_ count: Int) async throws { try await wait { $0.held.count == count } }

          private static func token(_ place: (after: String, hasPaused: Bool), _ state: inout State) -> String {
            state.count += 1
            state.places["token \(state.count)"] = place
            return "token \(state.count)"
          }

          /// Called with the number of each alarm, and with nil when the connection is lost.
          public func listen(_ body: @escaping @Sendable (Int?) -> Void) -> Int {
            state.withLock { state in
              state.count += 1
              state.listeners[state.count] = body
              return state.count
            }
          }

          public func leave(_ id: Int) { state.withLock { $0.listeners[id] = nil } }
          public func raise(_ number: Int) { for tell in state.withLock({ $0.listeners.values }) { tell(number) } }

          public func disconnect() {
            let all = state.withLock { state in
              defer { state.listeners = [:] }
              return Array(state.listeners.values)
            }
            for tell in all { tell(nil) }
          }

          public func waitForListeners(_ count: Int) async throws { try await wait { $0.listeners.count == count } }
        }

        """#

    /// - Parameter side: "V1", "V2" or "Fake".
    static func adapter(_ side: String) -> String {
        """
        import App
        import Cofferdam
        import SkyVendor

        public final class \(side)Weather: Weather {
          private let sky: Sky
          private let clock: any Clock<Duration>

          public init(sky: Sky, clock: any Clock<Duration>) {
            self.sky = sky
            self.clock = clock
          }

          /// The one way to the vendor: its deadline, its errors.
          private func visit(_ name: String, isWriting: Bool = false) async throws {
            do {
              try await withDeadline(.seconds(30), clock: clock) { [sky] in try await sky.visit(name) }
            } catch is DeadlineExceeded {
              throw isWriting ? WeatherError.unsure : .late
            } catch Sky.Trouble.lost {
              throw isWriting ? WeatherError.unsure : .lost
            } catch Sky.Trouble.closed {
              throw WeatherError.closed
            } catch Sky.Trouble.refused(let status, let after) {
              throw WeatherError.refused(isRetryable: status >= 500 || status == 429, after: after)
            }
          }

          public func forecast(_ city: String) async throws -> Forecast {
            try await visit("forecast")
            guard let found = sky.state.withLock({ $0.degrees[city] }) else { throw WeatherError.notFound }
            return Forecast(city: city, celsius: found.degrees, isRaining: found.rain)
          }

          public func cities(after cursor: String?, limit: Int) async throws -> CityPage {
            try await visit("cities")
            guard let page = sky.page(token: cursor, count: limit) else { throw WeatherError.badCursor }
            if let next = page.next, next == cursor { throw WeatherError.badCursor }
            return CityPage(cities: page.names, next: page.next)
          }

          public func alarms() -> any AsyncSequence<Alarm, any Error> & Sendable {
            let buffer = EventBuffer<Alarm>()
            let events = buffer.events
            let id = sky.listen { number in
              if let number {
                buffer.send(Alarm(number: number), overflow: { WeatherError.slow })
              } else {
                buffer.finish(throwing: WeatherError.lost)
              }
            }
            buffer.onTermination { [sky] in sky.leave(id) }
            return events
          }

          public func measure(at station: Station, urgently: Bool) async throws {
            try await visit("measure", isWriting: true)
          }

          public func stations() async throws -> [Station] {
            try await visit("stations")
            return [Station("Oslo")]
          }
        }

        """
    }

    static var stands: String {
        let sides = [("v1", "V1", ""), ("v2", "V2", ""), ("fake", "Fake", ", identity: AdapterIdentity(.fake)")]
        let openings = sides.map { name, side, identity in
            """
              public static let \(name) = AdapterUnderTest(name: "\(name)", capabilities: ["vendorCursors"]\(identity)) {
                let (sky, clock) = (Sky(), AdjustableClock())
                return WeatherSubject(
                  port: \(side)Weather(sky: sky, clock: clock),
                  vendor: SkyStand(sky: sky, skyClock: clock)
                )
              }

            """
        }
        return """
            import App
            import CofferdamContracts
            import SkyVendor
            import WeatherContract
            import WeatherFake
            import WeatherV1
            import WeatherV2

            extension AdapterUnderTest<WeatherSubject> {
            \(openings.joined())}

            struct SkyStand: WeatherVendor {
              let sky: Sky
              let skyClock: AdjustableClock

              func prepareCalls() async throws {
                try await setForecast([
                  GetSample("text 1", Forecast(city: "text 1", celsius: 2, isRaining: true))
                ])
                try await setCities(["Oslo", "Rome"])
                try await clearFaults()
              }

              func inject(_ fault: VendorFault, on operation: String, times: Int) async throws {
                let trouble: Sky.Trouble? =
                  switch fault {
                  case .hold, .stall: .hold
                  case .reset, .emptyReply: .lost
                  case .status(let status, let after): .refused(status, after: after)
                  case .trickle: nil
                  default: throw UnmetRequirements(harnessCapabilities: [HarnessCapability(rawValue: "\\(fault)")])
                  }
                sky.state.withLock { $0.troubles[operation] = trouble.map { ($0, times) } }
              }

              func clearFaults() async throws { sky.state.withLock { $0.troubles = [:] } }
              func arrivals(of operation: String) async throws -> Int {
                sky.state.withLock { $0.visits[operation] ?? 0 }
              }
              func waitForArrivals(of operation: String, atLeast count: Int) async throws {
                try await sky.wait { ($0.visits[operation] ?? 0) >= count }
              }
              func waitForHeld(exactly count: Int) async throws { try await sky.waitForHeld(count) }
              func release() async throws { sky.release() }
              func clock() throws -> AdjustableClock { skyClock }
              func close() async { sky.close() }

              func setForecast(_ samples: [GetSample<String, Forecast>]) async throws {
                sky.state.withLock { state in
                  state.degrees = [:]
                  for sample in samples { state.degrees[sample.input] = (sample.entity.celsius, sample.entity.isRaining) }
                }
              }

              func setCities(_ items: [String]) async throws { sky.state.withLock { $0.names = items } }

              func setCitiesQuirk(_ quirk: PagingQuirk) async throws {
                sky.state.withLock { state in
                  switch quirk {
                  case .emptyPageWithCursor: state.oddity = .emptyPage
                  case .emptyStringCursor: state.oddity = .emptyToken
                  case .repeatedCursor: state.oddity = .repeatedToken
                  }
                }
              }

              func expireCitiesCursors() async throws { sky.state.withLock { $0.places = [:] } }
              func prepareAlarms() async throws {}
              func sendAlarms(_ number: Int) async throws { sky.raise(number) }
              func waitForAlarmsSubscribers(_ count: Int) async throws { try await sky.waitForListeners(count) }

              func simulateAlarms(_ incident: StreamIncident) async throws {
                if incident != .heartbeat { sky.disconnect() }
              }

              func faultAlarms(_ fault: VendorFault) async throws {}
              func prepareMeasure() async throws {}
              func prepareStations() async throws {}
            }

            """
    }

    /// The fixtures that the author writes because `new-port` cannot know them.
    static let fixtures = [
        (
            "static func isTimeout(_ error: any Error) -> Bool { false }",
            "static func isTimeout(_ error: any Error) -> Bool { error as? WeatherError == .late }"
        ),
        (
            "static func isOutcomeUnknown(_ error: any Error) -> Bool { false }",
            "static func isOutcomeUnknown(_ error: any Error) -> Bool { error as? WeatherError == .unsure }"
        ),
        (
            "static func isClosed(_ error: any Error) -> Bool { false }",
            "static func isClosed(_ error: any Error) -> Bool { error as? WeatherError == .closed }"
        ),
        (
            "static func failure(_ error: any Error) -> PortFailure? { nil }",
            """
            static func failure(_ error: any Error) -> PortFailure? {
                switch error as? WeatherError {
                case nil: nil
                case .lost: PortFailure(category: "unreachable", isRetryable: true)
                case .unsure: PortFailure(category: "outcomeUnknown", isRetryable: false)
                case .refused(let isRetryable, let after):
                  PortFailure(category: "refused", isRetryable: isRetryable, retryAfter: after)
                default: PortFailure(category: "other", isRetryable: false)
                }
              }
            """
        ),
        (
            "NotWritten(\"WeatherFixtures.error(_:)\", step: 1)",
            """
            switch category {
                case "unreachable": WeatherError.lost
                case "outcomeUnknown": WeatherError.unsure
                default: WeatherError.notFound
                }
            """
        ),
        (
            "static func isNotFound(_ error: any Error) -> Bool { false }",
            "static func isNotFound(_ error: any Error) -> Bool { error as? WeatherError == .notFound }"
        ),
        (
            "static func isInvalidCursor(_ error: any Error) -> Bool { false }",
            "static func isInvalidCursor(_ error: any Error) -> Bool { error as? WeatherError == .badCursor }"
        ),
        (
            "static func isOverflow(_ error: any Error) -> Bool { false }",
            "static func isOverflow(_ error: any Error) -> Bool { error as? WeatherError == .slow }"
        ),
        (
            "static func number(ofAlarms event: Alarm) -> Int? { nil }",
            "static func number(ofAlarms event: Alarm) -> Int? { event.number }"
        ),
    ]

    /// Runs the rules on the adapters, as the generated tests do, and prints the outcome.
    static let runner = """
        import CofferdamContracts
        import WeatherContract
        import WeatherStand

        @main enum Runner {
          static func move(to side: String, _ body: @Sendable () async throws -> Void) async {
            do {
              try await body()
              print("move: " + side + ": done")
            } catch {
              print("move: " + side + ":", error)
            }
          }

          static func main() async {
            let upgrade = WeatherUpgradeTests()
            await move(to: "fake") { try await upgrade.`a user is moved from V1 to the fake`() }
            await move(to: "v2") { try await upgrade.`a user is moved from V1 to V2`() }
            let runner = ContractRunner(rules: WeatherRules.rules, adapters: [.v1, .v2, .fake])
            let report = await runner.run()
            for row in report.rows { print("row:", row.outcome.rawValue, row.id, row.detail ?? "") }
            for problem in report.problems { print("problem:", problem) }
            // At once, because some of them only show when a rule's time has run out.
            await withTaskGroup { group in
              for mutant in WeatherRules.mutants {
                group.addTask { await MutationRunner(rules: WeatherRules.rules, adapter: .fake).run(mutant) }
              }
              for await row in group { print("mutant:", row.outcome.rawValue, row.id) }
            }
          }
        }

        """
}
#endif
