#if Sandbox
import Cofferdam
import Foundation
import MenagerieService
@testable import MenagerieV2Adapter
import SanctuaryDomain
import Testing

/// The vendor's service on a free port, and Sanctuary's services that use it.
struct OpenedSanctuary: Sendable {
    let services: SanctuaryServices
    let control: SandboxControl
    let url: String
    let directory: String
    let issues: Issues
    private let service: RunningService

    var catalogue: any Catalogue { services.catalogue }
    var orders: any Orders { services.orders }
    var messages: any Messages { services.messages }
    var accessories: any Accessories { services.accessories }
    var accounts: any Accounts { services.accounts }

    /// Keeps both open while `body` runs.
    static func with(
        _ baseline: Baseline = .seeded,
        signedIn: Bool = false,
        language: String = "en",
        deadline: Duration = .seconds(30),
        clock: any Clock<Duration> = ContinuousClock(),
        now: (@Sendable () -> Instant)? = nil,
        _ body: (OpenedSanctuary) async throws -> Void
    ) async throws {
        let service = try await startService(ServiceConfiguration(control: false))
        service.control.reset(baseline: baseline)
        let issues = Issues()
        let directory = temporaryDirectory()
        let services = try await openMenagerieV2(
            MenagerieV2Configuration(
                serviceURL: service.url,
                key: "test",
                directory: directory,
                language: language,
                issues: IssueSink { found, operation in issues.add(found, of: operation) },
                deadline: deadline,
                clock: clock,
                now: now
            )
        )
        let sanctuary = OpenedSanctuary(
            services: services,
            control: service.control,
            url: service.url,
            directory: directory,
            issues: issues,
            service: service
        )
        do {
            if signedIn { try await sanctuary.signIn() }
            try await body(sanctuary)
        } catch {
            await sanctuary.end()
            throw error
        }
        await sanctuary.end()
    }

    @discardableResult
    func signIn(_ user: String = "amara") async throws -> Account {
        try await accounts.signIn(Credentials(user: user, password: "sandbox"))
    }

    /// Opens a second instance on the same service.
    func openAnother(in directory: String) async throws -> SanctuaryServices {
        try await openMenagerieV2(MenagerieV2Configuration(serviceURL: url, key: "test", directory: directory))
    }

    func stopService() async { await service.stop() }

    private func end() async {
        control.releaseHeld()
        await services.close()
        await service.stop()
        // Missing if no user signed in.
        do { try FileManager.default.removeItem(atPath: directory) } catch {}
    }

    /// Walks the catalogue to its end.
    func allAnimals(limit: Int = 50) async throws -> [Animal] { try await catalogue.all(limit: limit) }
}

extension Catalogue {
    /// Walks it to its end.
    func all(limit: Int = 50) async throws -> [Animal] {
        var animals: [Animal] = []
        var cursor: Cursor?
        repeat {
            let page = try await self.animals(AnimalsRequest(PageRequest(cursor: cursor, limit: limit)))
            animals += page.items
            cursor = page.next
        } while cursor != nil
        return animals
    }
}

/// The reported issues, in order.
final class Issues: Sendable {
    private let issues = Mutex<[TranslationIssue]>([])

    var all: [TranslationIssue] { issues.withLock { $0 } }

    func add(_ found: [TranslationIssue], of operation: String) { issues.withLock { $0 += found } }
}

/// A clock whose sleepers wake on demand.
struct GateClock: Clock {
    typealias Instant = ContinuousClock.Instant
    let gate = Latch()

    var now: Instant { .now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws { try await gate.wait() }
}

/// Expects a call to throw a port's error of that code.
func expect(
    _ code: SanctuaryError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () async throws -> some Any
) async {
    do {
        let value = try await call()
        Issue.record("no error, but \(value)", sourceLocation: sourceLocation)
    } catch {
        #expect((error as? SanctuaryError)?.code == code, "\(error)", sourceLocation: sourceLocation)
    }
}

/// Reads a stream in its own task, until it is dropped.
final class Subscriber<Event: Sendable>: Sendable {
    private let received: AsyncThrowingStream<Event, any Error>
    private let task: Task<Void, Never>

    init(_ events: any AsyncSequence<Event, any Error> & Sendable) {
        let (received, continuation) = AsyncThrowingStream.makeStream(of: Event.self)
        self.received = received
        task = Task {
            do {
                for try await event in events { continuation.yield(event) }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
    }

    deinit { task.cancel() }

    func next() async throws -> Event? {
        var iterator = received.makeAsyncIterator()
        return try await iterator.next()
    }
}
#endif
