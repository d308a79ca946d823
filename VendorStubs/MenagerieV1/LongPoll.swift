#if Sandbox
import Foundation
import HTTPTypes

/// Polls the server for events while there are listeners, which share one poll.
///
/// Before a new listener receives anything, the others receive what happened until then.
final class LongPoll<Event: Decodable, Change> {
    /// What a listener receives, on the callback queue.
    enum News {
        /// The listener receives every change from now on.
        case begun
        case change(Change)
        /// The connection is lost; nothing follows.
        case failed(NSError)
    }

    /// The position of the first poll, and what to do on the callback queue first.
    typealias Beginning = (position: Int, prepare: () -> Void)

    private final class Listener {
        weak var object: AnyObject?
        let receive: (News) -> Void
        var isAttached = false

        init(_ object: AnyObject, receive: @escaping (News) -> Void) {
            self.object = object
            self.receive = receive
        }
    }

    private let path: String
    private let begin: (Transport, _ token: String?) async throws(NSError) -> Beginning
    private let apply: (Event) -> Change?

    private let lock = NSLock()
    private var listeners: [Listener] = []
    private var token: String?
    private var generation = 0
    private var loop: Task<Void, Never>?
    private var longWait: Task<Result<PollJSON<Event>, NSError>, Never>?

    /// - Parameter apply: processes an event, on the callback queue; nil notifies no listener.
    init(
        path: String,
        begin: @escaping (Transport, _ token: String?) async throws(NSError) -> Beginning,
        apply: @escaping (Event) -> Change?
    ) {
        self.path = path
        self.begin = begin
        self.apply = apply
    }

    /// Calls `receive` with events while `object` lives.
    func add(
        _ object: AnyObject,
        token: String? = nil,
        transport: Transport,
        queue: DispatchQueue,
        receive: @escaping (News) -> Void
    ) {
        lock.withLock {
            self.token = token
            listeners.append(Listener(object, receive: receive))
            longWait?.cancel()
            guard loop == nil else { return }
            generation += 1
            loop = Task { [generation] in await self.run(generation, transport, queue) }
        }
    }

    func remove(_ object: AnyObject) { remove { $0 === object } }

    func removeAll() { remove { _ in true } }

    private func remove(_ shouldRemove: (AnyObject) -> Bool) {
        lock.withLock {
            listeners.removeAll { listener in listener.object.map(shouldRemove) ?? true }
            if listeners.isEmpty { end() }
        }
    }

    /// Call only while locked.
    private func end() {
        generation += 1
        loop?.cancel()
        longWait?.cancel()
        (loop, longWait) = (nil, nil)
    }

    private func run(_ id: Int, _ transport: Transport, _ queue: DispatchQueue) async {
        do throws(NSError) {
            let beginning = try await begin(transport, lock.withLock { token })
            var position = beginning.position
            queue.async { if self.isCurrent(id) { beginning.prepare() } }
            greet(newcomers(id), id, queue)
            while isCurrent(id) {
                let newcomers = newcomers(id)
                switch await poll(after: position, id, transport, isLong: newcomers.isEmpty) {
                case .success(let answer):
                    position = answer.next
                    deliver(answer.events, id, queue)
                    greet(newcomers, id, queue)
                case .failure(let error) where error.code == MenagerieErrorCode.cancelled.rawValue: continue
                case .failure(let error): throw error
                }
            }
        } catch {
            queue.async { self.fail(error, id) }
        }
    }

    private func poll(
        after position: Int,
        _ id: Int,
        _ transport: Transport,
        isLong: Bool
    ) async -> Result<PollJSON<Event>, NSError> {
        let token = lock.withLock { self.token }
        let query = [(name: "after", value: String(position)), ("timeout", isLong ? "25" : "0")]
        let task = Task { [path] in
            do throws(NSError) {
                return Result<PollJSON<Event>, NSError>.success(
                    try await transport.json(.get, path, query: query, token: token)
                )
            } catch {
                return .failure(error)
            }
        }
        lock.withLock {
            guard isLong else { return }
            let isWanted = generation == id && listeners.allSatisfy(\.isAttached)
            if isWanted { longWait = task } else { task.cancel() }
        }
        return await task.value
    }

    /// Whether loop `id` still has listeners.
    private func isCurrent(_ id: Int) -> Bool {
        lock.withLock {
            guard generation == id else { return false }
            listeners.removeAll { $0.object == nil }
            if listeners.isEmpty { end() }
            return generation == id
        }
    }

    /// Returns the listeners that loop `id` must greet; none if another loop has taken its place.
    private func newcomers(_ id: Int) -> [Listener] {
        lock.withLock { generation == id ? listeners.filter { !$0.isAttached } : [] }
    }

    private func greet(_ newcomers: [Listener], _ id: Int, _ queue: DispatchQueue) {
        lock.withLock {
            guard generation == id else { return }
            for newcomer in newcomers { newcomer.isAttached = true }
        }
        queue.async {
            for listener in self.present(newcomers, id) { listener.receive(.begun) }
        }
    }

    private func deliver(_ events: [Event], _ id: Int, _ queue: DispatchQueue) {
        guard !events.isEmpty else { return }
        let attached = lock.withLock { listeners.filter(\.isAttached) }
        queue.async {
            for event in events where self.isCurrent(id) {
                guard let change = self.apply(event) else { continue }
                for listener in self.present(attached, id) { listener.receive(.change(change)) }
            }
        }
    }

    private func fail(_ error: NSError, _ id: Int) {
        let all = lock.withLock {
            guard generation == id else { return [Listener]() }
            defer {
                listeners = []
                end()
            }
            return listeners
        }
        for listener in all where listener.object != nil { listener.receive(.failed(error)) }
    }

    /// Returns those of `some` that are still registered.
    private func present(_ some: [Listener], _ id: Int) -> [Listener] {
        lock.withLock {
            guard generation == id else { return [] }
            return some.filter { one in one.object != nil && listeners.contains { $0 === one } }
        }
    }
}

struct PollJSON<Event: Decodable>: Decodable {
    var next: Int
    var events: [Event]
}

/// The answer to a poll without a position, which only returns the current one.
struct PositionJSON: Decodable {
    var next: Int
}
#endif
