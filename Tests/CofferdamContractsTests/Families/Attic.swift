import Cofferdam
import CofferdamContracts
import Foundation

/// An adopter's port with a field of each kind.
struct AtticSubject: Sendable {
    var box: @Sendable (String) async throws -> Box
    var boxes: @Sendable (ListQuery) async throws -> ListPage<Box>
    var put: @Sendable (Box) async throws -> Box
    var arrivals: @Sendable () -> any AsyncSequence<Box, any Error> & Sendable
    let vendor: AtticVendor
}

struct Box: Sendable, Hashable {
    var id: String
    var label = "books"
    var code = "b-1"
    var count = 3
    var factor = "1.5"
    var price = Price(cents: 1999, currency: "EUR")
    var packedAt = Date(timeIntervalSince1970: 1_700_000_000)
    var day = "2024-05-06"
    var age = Duration.seconds(5)
    var isOpen = true
    var note: String? = "fragile"
    var size = Size.small
    var weights = [1, 2]
    var picture: [UInt8] = [1, 2, 3]
    var link = "https://example.com/a"
    var language = "en"
}

struct Price: Sendable, Hashable {
    var cents: Int64
    var currency: String
}

enum Size: Sendable, Hashable {
    case small, large
    case unknown(String)
}

struct AtticError: Error, Hashable {
    var code: String
    var field: String?
}

final class AtticVendor: Sendable {
    struct State: Sendable {
        var boxes: [Box] = []
        var calls = 0
        var issues: [String] = []
        var subscribers: [AsyncThrowingStream<Box, any Error>.Continuation] = []
    }

    let state = Monitor(State())

    func add(_ boxes: [Box]) -> [Box] {
        state.update { state in
            let added = boxes.enumerated().map { offset, box in
                var box = box
                box.id = "b\(state.boxes.count + offset)"
                return box
            }
            state.boxes += added
            for box in added { for subscriber in state.subscribers { subscriber.yield(box) } }
            return added
        }
    }

    func box(_ id: String) throws -> Box {
        guard let box = state.update({ $0.boxes.first { $0.id == id } }) else { throw AtticError(code: "notFound") }
        return box
    }
}

/// A value, and the wait for a condition of it.
final class Monitor<Value: Sendable>: Sendable {
    private struct Content: Sendable {
        var value: Value
        var waiting: [(isMet: @Sendable (Value) -> Bool, wake: CheckedContinuation<Void, Never>)] = []
    }

    private let content: Mutex<Content>

    init(_ value: Value) { content = Mutex(Content(value: value)) }

    func update<Result: Sendable>(_ change: (inout Value) throws -> Result) rethrows -> Result {
        try content.withLock { content in
            let result = try change(&content.value)
            let value = content.value
            for waiter in content.waiting where waiter.isMet(value) { waiter.wake.resume() }
            content.waiting.removeAll { $0.isMet(value) }
            return result
        }
    }

    func wait(until isMet: @escaping @Sendable (Value) -> Bool) async {
        await withCheckedContinuation { wake in
            content.withLock { content in
                if isMet(content.value) { wake.resume() } else { content.waiting.append((isMet, wake)) }
            }
        }
    }
}

enum Attic {
    static let fields: [Field<Box>] = [
        Field("label", \.label, .text),
        Field("code", \.code, .identifier),
        Field("count", \.count, .integer(Int.min...Int.max)),
        Field("factor", \.factor, .decimal),
        Field("price", \.price, price),
        Field("packedAt", \.packedAt, .instant),
        Field("day", \.day, .day),
        Field("age", \.age, .duration),
        Field("isOpen", \.isOpen, .flag),
        Field("note", \.note, .optional(.text)),
        Field("size", \.size, .enumeration(["small": .small, "large": .large], unknown: { .unknown($0) })),
        Field("weights", \.weights, .list(.integer(0...10_000))),
        Field("picture", \.picture, .bytes),
        Field("link", \.link, .url),
        Field("language", \.language, .language),
    ]

    private static let price = FieldKind.money(["EUR": 2, "JPY": 0, "KWD": 3]) {
        Price(cents: $0.minorUnits, currency: $0.currency)
    } back: {
        MoneyExample(minorUnits: $0.cents, currency: $0.currency)
    }

    static let shown = ShownFields<AtticSubject, String, Box>(
        fields: fields,
        shownBy: [
            .get(box), .list(boxes),
            .stream(
                "arrivals",
                PortStream(
                    "arrivals",
                    get: { $0.arrivals() },
                    replace: { subject, events in
                        var subject = subject
                        subject.arrivals = events
                        return subject
                    }
                ),
                waitForSubscriber: { await $0.vendor.state.wait { !$0.subscribers.isEmpty } },
                entities: { [$0] },
                changing: { $1($0) }
            ),
        ],
        id: \.id,
        usual: Box(id: ""),
        prepare: { $0.vendor.state.update { $0.boxes = [] } },
        hold: { $0.vendor.add($1) },
        unreadable: [
            .failing("a size that is no text", at: "size") { $0.size = .unknown("unreadable") },
            .reported("no language", at: "language", held: { $0.language = "?" }, shown: { $0.language = "und" }),
        ],
        errors: GetErrors(decodingPath: { ($0 as? AtticError)?.code }),
        issues: { $0.vendor.state.update(\.issues) }
    )

    static let written = WrittenFields<AtticSubject, Box, Box>(
        call: call("put", \.put),
        fields: [
            Field("label", \.label, .text.notEmpty.atMost(300, .utf8)),
            Field("count", \.count, FieldKind.integer(Int.min...Int.max).accepting { $0 >= 0 }),
        ],
        prepare: { $0.vendor.state.update { $0.boxes = [] } },
        draft: { _, number in Box(id: "draft \(number)") },
        answered: { draft, answer in
            var box = draft
            box.id = answer.id
            return box
        },
        held: { try $0.vendor.box($1.id) },
        read: { try await $0.box($1.id) },
        rejectedField: { ($0 as? AtticError)?.field }
    )

    static let ids = DistinctIDs<AtticSubject, String, Box>(
        call: box,
        seed: { subject in
            subject.vendor.state.update { $0 = AtticVendor.State() }
            return subject.vendor.add([Box(id: ""), Box(id: "")]).map(\.id)
        },
        text: { $0 },
        make: { $0 },
        id: \.id,
        arrivals: { $0.vendor.state.update(\.calls) }
    )

    static let rules = shown.rules + written.rules + ids.rules
    static let mutants = shown.mutants + written.mutants + ids.mutants

    static let box = call("box", \.box)
    private static let boxes = call("boxes", \.boxes)

    private static func call<Input, Output>(
        _ name: String,
        _ path: any WritableKeyPath<AtticSubject, PortCall<AtticSubject, Input, Output>.Perform> & Sendable
    ) -> PortCall<AtticSubject, Input, Output> {
        PortCall(
            name,
            get: { $0[keyPath: path] },
            replace: { subject, perform in
                var subject = subject
                subject[keyPath: path] = perform
                return subject
            }
        )
    }
}

extension AdapterUnderTest<AtticSubject> {
    /// - Parameters:
    ///   - shows: whether the list shows a box.
    ///   - spoil: what the adapter does to each box that it shows in the list.
    static func attic(
        shows: @escaping @Sendable (Box) -> Bool = { _ in true },
        spoil: @escaping @Sendable (inout Box) throws -> Void = { _ in }
    ) -> Self {
        AdapterUnderTest(name: "attic") {
            let vendor = AtticVendor()
            // What the adapter shows of a box.
            let translated: @Sendable (Box) throws -> Box = { box in
                var box = box
                if box.size == .unknown("unreadable") { throw AtticError(code: "size") }
                if box.language == "?" {
                    vendor.state.update { $0.issues.append("no language at language") }
                    box.language = "und"
                }
                return box
            }
            return AtticSubject(
                box: { id in
                    guard !id.isEmpty else { throw AtticError(code: "notFound") }
                    vendor.state.update { $0.calls += 1 }
                    return try translated(vendor.box(id))
                },
                boxes: { query in
                    let boxes = vendor.state.update(\.boxes)
                    let start = query.cursor.flatMap { Int($0) } ?? 0
                    let items = try boxes.dropFirst(start).prefix(query.limit).map { box in
                        var box = try translated(box)
                        try spoil(&box)
                        return box
                    }
                    let end = start + items.count
                    return ListPage(items: items.filter(shows), next: end < boxes.count ? "\(end)" : nil)
                },
                put: { box in
                    guard (1...300).contains(box.label.utf8.count) else {
                        throw AtticError(code: "refused", field: "label")
                    }
                    guard box.count >= 0 else { throw AtticError(code: "refused", field: "count") }
                    return vendor.add([box])[0]
                },
                arrivals: {
                    let (events, continuation) = AsyncThrowingStream<Box, any Error>.makeStream()
                    vendor.state.update { $0.subscribers.append(continuation) }
                    return events.map { try translated($0) }
                },
                vendor: vendor
            )
        }
    }
}
