#if Sandbox
public import Foundation  // the API uses queues and dates

/// The entry point to the Menagerie platform. Usable at once; `start` sets your key.
///
/// All methods may be called from any thread. Completion handlers and delegates are called on `callbackQueue`.
public final class Menagerie {
    public static let shared = Menagerie()

    private let lock = NSRecursiveLock()
    private var transport: Transport
    private var archive: SessionArchive?
    private var outbox: Outbox?
    private var storedDeviceID: String?
    private var storedPhotoCache: PhotoCache?
    private var storedLinks: LinkedAccessories?
    private var storedSession: MenagerieSession?
    private var storedSessionError: NSError?
    private var storedLanguage = Locale.current.identifier
    private var storedQueue = DispatchQueue.main
    private var requests: [ObjectIdentifier: MenagerieRequest] = [:]
    private var storedCentral: AccessoryCentral?
    private var storedChat: MenagerieChat?
    private var nextDefect: CompletionDefect?

    private init() {
        transport = Transport(key: "", baseURL: "https://api.menagerie.example")
    }

    /// The language of names, unless a call specifies one. By default the device's.
    public var language: String {
        get { lock.withLock { storedLanguage } }
        set { lock.withLock { storedLanguage = newValue } }
    }

    /// The queue on which completion handlers and delegates are called; must be serial. By default the main queue.
    public var callbackQueue: DispatchQueue {
        get { lock.withLock { storedQueue } }
        set { lock.withLock { storedQueue = newValue } }
    }

    /// The photos on this device; nil before `start`.
    public var photoCache: PhotoCache? { lock.withLock { storedPhotoCache } }

    var links: LinkedAccessories? { lock.withLock { storedLinks } }

    /// The accessories in reach.
    public var accessoryCentral: AccessoryCentral {
        lock.withLock {
            let central = storedCentral ?? AccessoryCentral(self)
            storedCentral = central
            return central
        }
    }

    /// The conversation.
    public var chat: MenagerieChat {
        lock.withLock {
            let chat = storedChat ?? MenagerieChat(self)
            storedChat = chat
            return chat
        }
    }

    /// Sets key, server and state directory, and loads the session stored there. Work in progress is stopped.
    public func start(key: String, baseURL: String, directory: String) {
        stop()
        let archive = SessionArchive(directory: directory)
        lock.withLock {
            transport = Transport(key: key, baseURL: baseURL)
            self.archive = archive
            outbox = Outbox(directory: directory)
            storedDeviceID = Self.deviceID(in: directory)
            storedPhotoCache = PhotoCache(directory: directory)
            storedLinks = LinkedAccessories(directory: directory)
            storedSessionError = nil
            do throws(NSError) {
                storedSession = try archive.load()
            } catch {
                storedSession = nil
                storedSessionError = error
            }
        }
    }

    /// Cancels every call, and releases all delegates. `completion` is called when all connections are closed, on a
    /// thread of the SDK.
    public func stop(completion: (() -> Void)? = nil) {
        let (old, pending) = lock.withLock {
            defer {
                requests = [:]
                transport = Transport(key: transport.key, baseURL: transport.baseURL)
            }
            return (transport, Array(requests.values))
        }
        accessoryCentral.removeAllDelegates()
        chat.removeAllDelegates()
        for request in pending { request.cancel() }
        Task {
            await old.shutdown()
            completion?()
        }
    }

    /// The session on this device; nil if no user is signed in, or the session has expired.
    public var session: MenagerieSession? {
        lock.withLock { storedSession.flatMap { $0.expires > Date() ? $0 : nil } }
    }

    /// The error of reading the stored session at the last `start`.
    public var sessionError: NSError? { lock.withLock { storedSessionError } }

    func keep(_ session: MenagerieSession?) throws(NSError) {
        lock.lock()
        defer { lock.unlock() }
        try archive?.save(session)
        storedSession = session
    }

    /// The id by which the platform identifies this installation; nil if it cannot be stored.
    public var deviceID: String? { lock.withLock { storedDeviceID } }

    /// Returns the stored id, or a new one.
    private static func deviceID(in directory: String) -> String? {
        let file = StateFile("device", in: directory)
        if let known = try? file.propertyList([String: String].self) { return known["deviceID"] }
        let fresh = UUID().uuidString
        // An id that cannot be stored would differ the next time.
        return (try? file.write(propertyList: ["deviceID": fresh])).map { fresh }
    }

    var currentTransport: Transport { lock.withLock { transport } }

    var currentOutbox: Outbox? { lock.withLock { outbox } }

    /// Runs `work`, and calls `completion` on the callback queue unless the request is cancelled.
    func perform<Value>(
        _ request: MenagerieRequest = MenagerieRequest(),
        _ work: @escaping (Transport) async throws(NSError) -> Value,
        completion: @escaping (Value?, NSError?) -> Void
    ) -> MenagerieRequest {
        let defect = lock.withLock {
            defer { nextDefect = nil }
            return nextDefect
        }
        if defect == .atOnce {
            request.finish { completion(nil, .menagerie(.notConnected, "The request could not be made.")) }
            return request
        }
        let (transport, queue) = lock.withLock {
            requests[ObjectIdentifier(request)] = request
            return (self.transport, storedQueue)
        }
        request.run(onEnd: { [weak self, id = ObjectIdentifier(request)] in self?.forget(id) }) {
            do throws(NSError) {
                let value = try await work(transport)
                queue.async {
                    request.finish {
                        if defect != .never { completion(value, nil) }
                        if defect == .twice { completion(value, nil) }
                    }
                }
            } catch {
                queue.async { request.finish { completion(nil, error) } }
            }
        }
        return request
    }

    /// Defects of completion handlers reported for this SDK, available on demand.
    package enum CompletionDefect: String {
        /// Called twice with the result.
        case twice
        /// Never called.
        case never
        /// Called with an error before the method has returned.
        case atOnce
    }

    /// Gives the next call this defect; nil for none.
    package func provoke(_ defect: CompletionDefect?) { lock.withLock { nextDefect = defect } }

    private func forget(_ id: ObjectIdentifier) {
        _ = lock.withLock { requests.removeValue(forKey: id) }
    }
}
#endif
