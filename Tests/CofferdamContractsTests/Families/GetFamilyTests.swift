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

    /// A diary whose entries' notes may be null or empty, and which shows both.
    private struct Diary: Sendable {
        struct Entry: Sendable, Hashable {
            var id: String
            var note: String?
        }

        struct Unreadable: Error {
            let path: String
        }

        /// An entry as the vendor holds it.
        struct Held: Sendable {
            var id: String
            var note: String?
            var hasTitle = true
        }

        final class Vendor: Sendable {
            let entries = Mutex<[Held]>([])

            func entry(at index: Int) throws -> Entry {
                let held = entries.withLock { $0[index] }
                guard held.hasTitle else { throw Unreadable(path: "[\(index)].title") }
                return Entry(id: held.id, note: held.note)
            }
        }

        var entry: @Sendable (String) async throws -> Entry?
        var entries: @Sendable (ListQuery) async throws -> ListPage<Entry>
        var seed: @Sendable (PayloadOddity) async throws -> OddSeed<String, Entry>

        init() {
            let vendor = Vendor()
            entry = { id in
                let index = vendor.entries.withLock { $0.firstIndex { $0.id == id } }
                return try index.map { try vendor.entry(at: $0) }
            }
            entries = { _ in
                let indices = vendor.entries.withLock { $0.indices }
                return ListPage(items: try indices.map { try vendor.entry(at: $0) }, next: nil)
            }
            seed = { oddity in
                var odd = Held(id: "odd", note: "a note")
                switch oddity {
                case .missing: odd.hasTitle = false
                case .null: odd.note = nil
                case .empty: odd.note = ""
                case .extraField, .unknownValue: break
                }
                vendor.entries.withLock { [odd] in $0 = [Held(id: "1", note: "a note"), odd] }
                return OddSeed(["1", "odd"].map { GetSample($0, Entry(id: $0, note: "a note")) }, odd: 1)
            }
        }
    }

    private func diary(_ promises: [FieldPromise<Diary.Entry>]) -> GetOperation<Diary, String, Diary.Entry> {
        func call<Input: Sendable, Output: Sendable>(
            _ name: String,
            _ path: any WritableKeyPath<Diary, PortCall<Diary, Input, Output>.Perform> & Sendable
        ) -> PortCall<Diary, Input, Output> {
            PortCall(
                name,
                get: { $0[keyPath: path] },
                replace: { diary, perform in
                    var diary = diary
                    diary[keyPath: path] = perform
                    return diary
                }
            )
        }
        return GetOperation(
            finding: call("entry", \.entry),
            page: call("entries", \.entries),
            errors: GetErrors(
                decodingPath: { ($0 as? Diary.Unreadable)?.path },
                withoutPath: { _ in Diary.Unreadable(path: "") }
            ),
            samples: { diary in
                _ = try await diary.seed(.extraField)
                return ["1", "odd"].map { GetSample($0, Diary.Entry(id: $0, note: "a note")) }
            },
            unknown: { _ in ["2"] },
            odd: OddPayloads(seed: call("seed", \.seed), requiredField: "title", promises: { _ in promises }),
            mistakes: GetMistakes(
                fabricated: { Diary.Entry(id: $0, note: "made up") },
                losingZeros: { Diary.Entry(id: $0.id, note: nil) }
            )
        )
    }

    @Test func `a port that shows every null and empty field has mutants of GET-05 too`() async {
        let operation = diary([
            FieldPromise(.null(field: "note"), .shown { Diary.Entry(id: $0.id, note: nil) }),
            FieldPromise(.empty(field: "note"), .shown { Diary.Entry(id: $0.id, note: "") }),
        ])
        let adapter = AdapterUnderTest(name: "diary") { Diary() }
        let report = await ContractRunner(rules: operation.rules, adapters: [adapter]).run()
        #expect(report.rows.map(\.rule) == ["GET-01", "GET-02", "GET-03", "GET-04", "GET-05"])
        #expect(report.failures.map(\.failure) == [])
        let mutants = await MutationRunner(rules: operation.rules, adapter: adapter).run(operation.mutants)
        #expect(mutants.rows.count { $0.rule == "GET-05" && $0.outcome == .killed } == 2)
        #expect(mutants.problems == [])
    }

    @Test func `a port that promises nothing about null and empty fields is not checked, and owes no mutant`() async {
        let operation = diary([])
        let adapter = AdapterUnderTest(name: "diary") { Diary() }
        let report = await ContractRunner(rules: operation.rules, adapters: [adapter]).run()
        #expect(report.rows.filter { $0.outcome == .skipped }.map(\.rule) == ["GET-05"])
        let mutants = await MutationRunner(rules: operation.rules, adapter: adapter).run(operation.mutants)
        #expect(mutants.problems == [])
    }
}
