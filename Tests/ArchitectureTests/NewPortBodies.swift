/// A package for `new-port`, and the bodies that its author writes then.
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
        }

        """

    static let values = """
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

        public enum WeatherError: Error { case notFound, badCursor, lost, slow }

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
          }

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

          public func waitForListeners(_ count: Int) async throws {
            while state.withLock({ $0.listeners.count }) != count {
              try Task.checkCancellation()
              await Task.yield()
            }
          }
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

          public init(sky: Sky) { self.sky = sky }

          public func forecast(_ city: String) async throws -> Forecast {
            guard let found = sky.state.withLock({ $0.degrees[city] }) else { throw WeatherError.notFound }
            return Forecast(city: city, celsius: found.degrees, isRaining: found.rain)
          }

          public func cities(after cursor: String?, limit: Int) async throws -> CityPage {
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

          public func measure(at station: Station, urgently: Bool) async throws {}
          public func stations() async throws -> [Station] { [Station("Oslo")] }
        }

        """
    }

    static var stands: String {
        let sides = [("v1", "V1", ""), ("v2", "V2", ""), ("fake", "Fake", ", identity: AdapterIdentity(.fake)")]
        let openings = sides.map { name, side, identity in
            """
              static let \(name) = AdapterUnderTest(name: "\(name)", capabilities: ["vendorCursors"]\(identity)) {
                let sky = Sky()
                return WeatherSubject(port: \(side)Weather(sky: sky), vendor: SkyStand(sky: sky))
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

              func befallAlarms(_ incident: StreamIncident) async throws {
                if incident != .heartbeat { sky.disconnect() }
              }

              func faultAlarms(_ fault: VendorFault) async throws {}
              func prepareMeasure() async throws {}
              func prepareStations() async throws {}
            }

            """
    }

    /// What its author writes for what `new-port` could not know.
    static let fixtures = [
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

    /// Holds the adapters against the rules, as the generated tests do, and says what came of it.
    static let runner = """
        import CofferdamContracts
        import WeatherContract

        @main enum Runner {
          static func main() async {
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
