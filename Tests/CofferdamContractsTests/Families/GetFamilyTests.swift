import Cofferdam
import CofferdamContracts
import Testing

/// Checks gets as adopters write them: nil for a missing entity, a tolerance, entities that exist only in a list.
@Suite struct GetFamilyTests {
    /// A weather station that returns nil for an unknown place, and rounds its temperatures.
    struct Station: Sendable {
        var reading: @Sendable (_ place: String) async throws -> Reading?
        var readings: @Sendable (ListQuery) async throws -> ListPage<Reading>

        init(rounding: @escaping @Sendable (Double) -> Double = { $0 }) {
            let known = Self.known.map { Reading(place: $0.place, celsius: rounding($0.celsius)) }
            reading = { place in known.first { $0.place == place } }
            readings = { query in
                let start = query.cursor.flatMap { Int($0) } ?? 0
                let items = Array(known.dropFirst(start).prefix(query.limit))
                let end = start + items.count
                return ListPage(items: items, next: end < known.count ? "\(end)" : nil)
            }
        }

        static let known = [
            Reading(place: "Bern", celsius: 0), Reading(place: "Oslo", celsius: -3.25),
            Reading(place: "Kyoto", celsius: 21.125),
        ]
    }

    struct Reading: Sendable, Hashable {
        var place: String
        var celsius: Double
    }

    private static let page = PortCall<Station, ListQuery, ListPage<Reading>>(
        "readings",
        get: { $0.readings },
        replace: { station, perform in
            var station = station
            station.readings = perform
            return station
        }
    )

    private static let mistakes = GetMistakes<String, Reading>(
        fabricated: { Reading(place: $0, celsius: 99) },
        losingZeros: { Reading(place: $0.place, celsius: $0.celsius == 0 ? 99 : $0.celsius) }
    )

    private static let isSame: @Sendable (Reading, Reading) -> Bool = {
        $0.place == $1.place && abs($0.celsius - $1.celsius) <= 0.5
    }

    static let reading = GetOperation<Station, String, Reading>(
        finding: PortCall(
            "reading",
            get: { $0.reading },
            replace: { station, perform in
                var station = station
                station.reading = perform
                return station
            }
        ),
        page: page,
        samples: { _ in Station.known.map { GetSample($0.place, $0) } },
        unknown: { _ in ["Atlantis"] },
        mistakes: mistakes,
        isSame: isSame
    )

    static let listed = GetOperation<Station, String, Reading>(
        listed: page,
        errors: GetErrors(),
        samples: { _ in Station.known.map { GetSample($0.place, $0) } },
        mistakes: mistakes
    )

    private static func station(_ make: @escaping @Sendable () -> Station) -> AdapterUnderTest<Station> {
        AdapterUnderTest(name: "station", capabilities: []) { make() }
    }

    private func outcomes(
        _ operation: GetOperation<Station, String, Reading>,
        _ make: @escaping @Sendable () -> Station
    ) async -> [String] {
        await ContractRunner(rules: operation.rules, adapters: [Self.station(make)]).run().rows.map {
            "\($0.rule) \($0.outcome.rawValue)" + ($0.outcome == .failed ? ": \($0.detail ?? "")" : "")
        }
    }

    @Test func `nil means not found, and a reading within the tolerance is accepted`() async {
        let rounded: @Sendable () -> Station = { Station { $0.rounded() } }
        #expect(await outcomes(Self.reading, rounded) == ["GET-01 passed", "GET-02 passed"])
    }

    @Test func `a reading outside the tolerance is caught`() async {
        let found = await outcomes(Self.reading) { Station { $0 + 0.75 } }
        #expect(found.first?.contains("expected Reading(place: \"Bern\", celsius: 0.0)") == true)
    }

    @Test func `a reading that is made up or missing is caught`() async {
        let fabricated = await outcomes(Self.reading) {
            var station = Station()
            station.reading = { [reading = station.reading] place in
                try await reading(place) ?? Reading(place: place, celsius: 0)
            }
            return station
        }
        #expect(fabricated.last?.hasPrefix("GET-02 failed: Atlantis: expected it not to be found") == true)
        let missing = await outcomes(Self.reading) {
            var station = Station()
            station.reading = { _ in nil }
            return station
        }
        #expect(missing.first?.contains("reading Bern: not found") == true)
    }

    @Test(arguments: [reading.mutants.count, listed.mutants.count].indices)
    func `each mutant is killed by its own rule`(_ which: Int) async {
        let operation = [Self.reading, Self.listed][which]
        let runner = MutationRunner(rules: operation.rules, adapter: Self.station { Station() })
        let report = await runner.run(operation.mutants)
        #expect(report.rows.count == [3, 1][which])
        for row in report.rows { #expect(row.outcome == .killed, "\(row.id): \(row.detail ?? "no detail")") }
    }

    @Test func `entities that are only in a list have no rule about unknown ids`() async {
        #expect(await outcomes(Self.listed) { Station() } == ["GET-01 passed"])
    }

    /// A port that throws for a missing entity.
    @Test func `a mutant of a throwing get that finds nothing throws the port's own error`() async {
        struct NoPlace: Error {}
        let throwing = GetOperation<Station, String, Reading>(
            call: PortCall(
                "reading",
                get: { station in
                    { place in
                        guard let reading = try await station.reading(place) else { throw NoPlace() }
                        return reading
                    }
                },
                replace: { station, perform in
                    var station = station
                    station.reading = { place in
                        do { return try await perform(place) } catch is NoPlace { return nil }
                    }
                    return station
                }
            ),
            errors: GetErrors(isNotFound: { $0 is NoPlace }),
            samples: { _ in Station.known.map { GetSample($0.place, $0) } },
            unknown: { _ in ["Atlantis"] },
            mistakes: Self.mistakes
        )
        #expect(await outcomes(throwing) { Station() } == ["GET-01 passed", "GET-02 passed"])
        let runner = MutationRunner(rules: throwing.rules, adapter: Self.station { Station() })
        let report = await runner.run(throwing.mutants)
        #expect(report.rows.map(\.outcome) == [.killed, .killed])
    }
}
