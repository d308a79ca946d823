import Cofferdam
import CofferdamUpgrade
import Foundation
import TestSupport

@testable import CofferdamRehearsal

/// A port with a call of each kind, as closures, over one store.
struct Toy: Sendable {
    var read: @Sendable (Int) async throws -> Int
    var write: @Sendable (String) async throws -> Void
    var follow: @Sendable () -> any AsyncSequence<String, any Error> & Sendable = { EventBuffer().events }
}

private enum ToyOperations {
    static let read = PortOperation<Toy, Int, Int>("read", .read) { try await $0.read($1) }.spoiled { $0 += 1 }
    static let write = PortOperation<Toy, String, Void>("write", .write) { try await $0.write($1) }
    static let follow = StreamingOperation<Toy, Void, String>("follow", .exclusive) { $0.follow() }
        .handedOver(by: .toys)
}

extension Toy {
    fileprivate init(forwardingTo port: Intercepted<Toy>) {
        self.init(
            read: { try await port.call(ToyOperations.read, $0) },
            write: { try await port.call(ToyOperations.write, $0) },
            follow: { port.stream(ToyOperations.follow) }
        )
    }
}

struct ToyError: Error {
    var meaning: FailureMeaning

    static let reading = ErrorClassifier(meaning: { ($0 as? ToyError)?.meaning ?? .failed })
}

/// The state of both sides, as in a vendor's service.
final class ToyStore: Sendable {
    private let keys = Mutex<[String: Int]>([:])

    func add(_ key: String) { keys.withLock { $0[key, default: 0] += 1 } }
    var written: [String: Int] { keys.withLock { $0 } }
}

enum ToyUpgrade {
    /// - Parameters:
    ///   - feed: delivers written items; nil without subscribers.
    ///   - services: creates an instance; by default a correct one.
    ///   - opened: called with each opened instance.
    static func make(
        _ store: ToyStore = ToyStore(),
        feed: ToyFeed? = nil,
        opened: @escaping @Sendable (RehearsedInstance) -> Void = { _ in },
        services: (@Sendable (RehearsedInstance, ToyStore) -> Toy)? = nil
    ) -> RehearsedUpgrade<Toy> {
        let numbers = Array(1...100)
        let write = TrafficOperation<Toy>("write", .write) { toy, step in try await toy.write(step.key) }
        return RehearsedUpgrade(
            capability: "toy",
            directory: FileManager.default.temporaryDirectory.appending(path: "toy-\(UUID().uuidString)").path,
            operations: [
                TrafficOperation("read", .read) { toy, step in
                    let number = try step.choice(from: numbers)
                    let answer = try await toy.read(number)
                    guard answer == number * 2 else { throw WrongValue("\(number) doubled is \(answer)") }
                },
                write,
            ],
            feed: feed.map { feed in
                TrafficFeed("toys", publish: write, record: { feed.keys }) { toy in
                    toy.follow()
                } item: { element in
                    element == "gap" ? .gap : .item(element)
                }
            },
            failures: ToyError.reading,
            failure: { ToyError(meaning: $0) },
            open: { instance in
                opened(instance)
                var toy = services?(instance, store) ?? honest(store)
                if let feed {
                    let write = toy.write
                    toy.write = { key in
                        try await write(key)
                        feed.publish(key)
                    }
                    toy.follow = { feed.follow(instance) }
                }
                return toy
            },
            close: { _ in },
            routed: { router, session, settings in
                Toy(forwardingTo: Intercepted(source: router.route(for: session, settings: settings) { $0 }))
            },
            faulty: { toy, faults in Toy(forwardingTo: Intercepted(toy, by: [faults])) },
            written: { store.written }
        )
    }

    static func honest(_ store: ToyStore) -> Toy { Toy(read: { $0 * 2 }, write: { store.add($0) }) }

    /// Options with a few sequential visits, so that each run is the same.
    static var options: ScenarioOptions {
        var options = ScenarioOptions()
        options.limit = 0.05
        options.baseline = 1_000
        options.inFlight = 1
        options.batch = 1
        // On a clock without waiting, all users would give up at once.
        options.habits.givingUp = 0
        options.patience = .seconds(30)
        // Longer than any run, so that the traffic waits for the items.
        options.lastItem = .seconds(10)
        return options
    }

    /// Options with subscribers, and enough items to deliver.
    static var following: ScenarioOptions {
        get throws {
            var options = options
            options.mix = try TrafficMix("read=85,write=15,follow=5")
            options.followers = 4
            // On a clock without waiting, no item is late.
            options.followingDelay = .seconds(1_000_000)
            return options
        }
    }

    static func walk(
        _ scenario: Scenario,
        _ upgrade: RehearsedUpgrade<Toy> = make(),
        _ options: ScenarioOptions = options,
        clock: some Clock<Duration> = SkippingClock()
    ) async throws -> ScenarioReport {
        try FileManager.default.createDirectory(atPath: upgrade.directory, withIntermediateDirectories: false)
        defer { removeFolder(upgrade.directory) }
        var walk = try UpgradeWalk(
            upgrade,
            scenario,
            options,
            clock: clock,
            progress: { _ in }
        )
        return try await walk.run()
    }
}

/// A clock without waiting: a sleeper advances it. Deadlines are further away and expire only when a call hangs
/// forever; those within a minute expire at once. On demand it stalls, and wakes sleepers much too late.
final class SkippingClock: Clock, Sendable {
    typealias Instant = ClockInstant

    private struct Waiting {
        var count = 0
        /// The number of sleepers that hang forever.
        var hanging = 0
        var sleepers: [Int: (deadline: Instant, end: AsyncStream<Never>.Continuation)] = [:]
    }

    private let offset = Mutex(Duration.zero)
    private let waiting = Mutex(Waiting())
    private let sleeps = Mutex(0)
    private let stallsAt: @Sendable (_ sleep: Int) -> Bool

    init(stallsAt: @escaping @Sendable (_ sleep: Int) -> Bool = { _ in false }) { self.stallsAt = stallsAt }

    func advance(by duration: Duration) { offset.withLock { $0 += duration } }

    var now: Instant { Instant(offset: offset.withLock { $0 }) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        if now.duration(to: deadline) >= .seconds(5) { await wait(until: deadline) }
        try Task.checkCancellation()
        let number = sleeps.withLock { sleeps in
            sleeps += 1
            return sleeps
        }
        let stall = stallsAt(number) ? Duration.seconds(2) : .zero
        offset.withLock { $0 = max($0, deadline.offset) + stall }
    }

    private func wait(until deadline: Instant) async {
        let (stream, end) = AsyncStream.makeStream(of: Never.self)
        let isForEver = now.duration(to: deadline) >= .seconds(100_000)
        let (number, due) = waiting.withLock { waiting in
            waiting.count += 1
            waiting.sleepers[waiting.count] = (deadline, end)
            if isForEver { waiting.hanging += 1 }
            return (waiting.count, waiting.hanging > 0 ? waiting.sleepers.values.map { $0 } : [])
        }
        for sleeper in due where now.duration(to: sleeper.deadline) < .seconds(60) { sleeper.end.finish() }
        // Cancellation ends it too.
        for await _ in stream {}
        waiting.withLock { waiting in
            waiting.sleepers[number] = nil
            if isForEver { waiting.hanging -= 1 }
        }
    }
}
