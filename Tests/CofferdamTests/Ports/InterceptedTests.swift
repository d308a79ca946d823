import Cofferdam
import Testing

private protocol Scale: Sendable {
    func weigh(_ item: String) async throws -> Int
    func reset() async throws
    func load(_ items: [String], progress: @escaping @Sendable (Int) -> Void) async throws -> Int
    func readings() -> PortEvents<Int>
}

private enum ScaleOperations {
    static let weigh = PortOperation<any Scale, String, Int>("weigh", .read) { try await $0.weigh($1) }
    static let reset = PortOperation<any Scale, Void, Void>("reset", .idempotent) { try await $0.reset() }
    static let load = PortOperation<any Scale, Load, Int>("load", .write) {
        try await $0.load($1.items, progress: $1.progress)
    }
    .reporting(
        ProgressReporting { load in
            let isOver = Mutex(false)
            return ProgressReporting.Session(
                input: Load(items: load.items) { count in
                    if !isOver.withLock({ $0 }) { load.progress(count) }
                },
                finish: { load.progress($0) },
                end: { isOver.withLock { $0 = true } }
            )
        }
    )
    static let readings = StreamingOperation<any Scale, Void, Int>("readings") { $0.readings() }

    struct Load: Sendable {
        var items: [String]
        var progress: @Sendable (Int) -> Void
    }
}

extension Intercepted: Scale where Port == any Scale {
    fileprivate func weigh(_ item: String) async throws -> Int {
        try await call(ScaleOperations.weigh, item) { try await $0.weigh($1) }
    }
    fileprivate func reset() async throws {
        try await call(ScaleOperations.reset) { try await $0.reset() }
    }
    fileprivate func load(_ items: [String], progress: @escaping @Sendable (Int) -> Void) async throws -> Int {
        try await call(ScaleOperations.load, ScaleOperations.Load(items: items, progress: progress)) {
            try await $0.load($1.items, progress: $1.progress)
        }
    }
    fileprivate func readings() -> PortEvents<Int> { stream(ScaleOperations.readings) }
}

private struct Broken: Error {}

/// Weighs every letter as one, and keeps the last callback, to call it too late.
private final class LetterScale: Scale {
    let late = Mutex<(@Sendable (Int) -> Void)?>(nil)

    func weigh(_ item: String) async throws -> Int {
        guard !item.isEmpty else { throw Broken() }
        return item.count
    }
    func reset() async throws {}
    func load(_ items: [String], progress: @escaping @Sendable (Int) -> Void) async throws -> Int {
        late.withLock { $0 = progress }
        for count in 1..<max(1, items.count) { progress(count) }
        return items.count
    }
    func readings() -> PortEvents<Int> {
        AsyncThrowingStream {
            $0.yield(7); $0.finish()
        }
    }
}

private struct Noting: PortInterceptor {
    let name: String
    let notes: Notes
    var only: String?

    final class Notes: Sendable {
        private let notes = Mutex<[String]>([])
        func add(_ note: String) { notes.withLock { $0.append(note) } }
        var all: [String] { notes.withLock { $0 } }
    }

    func intercepts(_ operation: OperationTraits) -> Bool { only == nil || only == operation.name }

    func intercept<Port, Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        next: @escaping @Sendable (Input) async throws -> Output
    ) async throws -> Output {
        notes.add("\(name) \(operation.name)")
        defer { notes.add("\(name) done") }
        return try await next(input)
    }

    func interceptStream<Port, Input, Element>(
        _ operation: StreamingOperation<Port, Input, Element>,
        _ input: Input,
        next: @escaping @Sendable (Input) -> PortEvents<Element>
    ) -> PortEvents<Element> {
        notes.add("\(name) \(operation.name)")
        return next(input)
    }
}

/// Makes each call twice, and returns the second result.
private struct Twice: PortInterceptor {
    func intercept<Port, Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        next: @escaping @Sendable (Input) async throws -> Output
    ) async throws -> Output {
        _ = try await next(input)
        return try await next(input)
    }
}

@Suite struct InterceptedTests {
    private let notes = Noting.Notes()

    @Test func `without interceptors a call returns its port's value or throws its error`() async throws {
        let scale: any Scale = Intercepted(LetterScale())
        #expect(try await scale.weigh("goat") == 4)
        await #expect(throws: Broken.self) { try await scale.weigh("") }
        try await scale.reset()
        var readings: [Int] = []
        for try await reading in scale.readings() { readings.append(reading) }
        #expect(readings == [7])
    }

    @Test func `interceptors apply in their order, the first one outermost`() async throws {
        let scale: any Scale = Intercepted(
            LetterScale(),
            by: [Noting(name: "outer", notes: notes), Noting(name: "inner", notes: notes)]
        )
        #expect(try await scale.weigh("ox") == 2)
        #expect(notes.all == ["outer weigh", "inner weigh", "inner done", "outer done"])
    }

    @Test func `an error passes all of them`() async throws {
        let scale: any Scale = Intercepted(LetterScale(), by: [Noting(name: "a", notes: notes)])
        await #expect(throws: Broken.self) { try await scale.weigh("") }
        #expect(notes.all == ["a weigh", "a done"])
    }

    @Test func `an interceptor gets only the operations that it chooses`() async throws {
        let scale: any Scale = Intercepted(
            LetterScale(),
            by: [Noting(name: "a", notes: notes, only: "reset"), Noting(name: "b", notes: notes, only: "weigh")]
        )
        _ = try await scale.weigh("ox")
        try await scale.reset()
        _ = scale.readings()
        #expect(notes.all == ["b weigh", "b done", "a reset", "a done"])
    }

    @Test func `a stream is intercepted where it is opened`() async throws {
        let scale: any Scale = Intercepted(LetterScale(), by: [Noting(name: "a", notes: notes)])
        var readings: [Int] = []
        for try await reading in scale.readings() { readings.append(reading) }
        #expect(readings == [7] && notes.all == ["a readings"])
    }

    @Test func `intercepted ports nest`() async throws {
        let inner: any Scale = Intercepted(LetterScale(), by: [Noting(name: "inner", notes: notes)])
        let outer: any Scale = Intercepted(inner, by: [Noting(name: "outer", notes: notes)])
        _ = try await outer.weigh("ox")
        #expect(notes.all == ["outer weigh", "inner weigh", "inner done", "outer done"])
    }

    @Test func `an operation guards its progress, which is silent when the call is over`() async throws {
        let port = LetterScale()
        let scale: any Scale = Intercepted(port, by: [Twice()])
        let reported = Mutex<[Int]>([])
        #expect(try await scale.load(["a", "b", "c"]) { count in reported.withLock { $0.append(count) } } == 3)
        let during = reported.withLock { $0 }
        #expect(during == [1, 2, 1, 2, 3], "two attempts, one end")
        port.late.withLock { $0 }?(99)
        #expect(reported.withLock { $0 } == during)
    }

    @Test func `annotating an operation does not change the original`() {
        let plain = ScaleOperations.weigh
        let user = plain.ofUser().reading()
        #expect(plain.traits.ownership == .shared && user.traits.ownership == .user)
        #expect(plain.name == user.name && user.traits.isReading)
        #expect(plain.comparator != nil, "an equatable answer is compared by ==")
        #expect(ScaleOperations.reset.comparator == nil)
    }
}
