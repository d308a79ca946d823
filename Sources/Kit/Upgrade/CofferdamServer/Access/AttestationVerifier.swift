#if Server
import Cofferdam
import CofferdamCurl
import CofferdamUpgrade
import Foundation
import HTTPTypes

#if canImport(Subprocess)
import Subprocess
#endif

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// The team's program or service that says whether an installation is genuine.
///
/// It gets `{"attestation": TEXT, "publicKey": BASE64}` and must check that the attestation is for that key: App Attest
/// signs a hash that the app chooses, and Play Integrity has a request hash.
public struct AttestationVerifier: Sendable, Hashable {
    enum Place: Sendable, Hashable { case command(String), address(String) }

    let place: Place

    /// A program, which reads the document from standard input, and is started without a shell and without arguments.
    /// It exits with 0 for a genuine installation, and with 1 for another. Its output is dropped.
    ///
    /// - Throws: ``ControlPlaneError`` with `invalidConfiguration`.
    public static func command(_ path: String) throws(ControlPlaneError) -> AttestationVerifier {
        guard path.hasPrefix("/"), FileManager.default.isExecutableFile(atPath: path) else {
            throw ControlPlaneError(
                .invalidConfiguration,
                "the attestation's verifier must be an executable file with an absolute path: \(path)"
            )
        }
        return AttestationVerifier(place: .command(path))
    }

    /// An address, which gets a POST with the document. It answers with a status of 2xx for a genuine installation,
    /// and with 403 for another.
    ///
    /// - Throws: ``ControlPlaneError`` with `invalidConfiguration`.
    public static func address(_ url: String) throws(ControlPlaneError) -> AttestationVerifier {
        do { _ = try HTTPRequest(.post, url: url) } catch {
            throw ControlPlaneError(.invalidConfiguration, "the attestation's verifier: \(error.message)")
        }
        return AttestationVerifier(place: .address(url))
    }
}

/// Asks a verifier, for a limited time and a few installations at once.
struct AttestationCheck: Sendable {
    /// Why there is no answer, for the log.
    struct Failure: Error {
        let message: String
    }

    private struct Document: Encodable {
        var attestation: String
        var publicKey: Data
    }

    private final class Running: Sendable {
        let count = Mutex(0)
    }

    /// Less than the time that a device waits for the server.
    static let limit = Duration.seconds(5)
    static let maxRunning = 8

    private let verifier: AttestationVerifier
    private let client = CurlClient()
    private let sleep: @Sendable (Duration) async throws -> Void
    private let running = Running()

    init(_ verifier: AttestationVerifier, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        (self.verifier, self.sleep) = (verifier, sleep)
    }

    /// - Throws: ``Failure``, `CancellationError`.
    func isGenuine(_ attestation: String, _ publicKey: Data) async throws -> Bool {
        let isFree = running.count.withLock { count in
            guard count < Self.maxRunning else { return false }
            count += 1
            return true
        }
        guard isFree else { throw Failure(message: "\(Self.maxRunning) checks run already") }
        defer { running.count.withLock { $0 -= 1 } }
        let document = try ServerJSON.bytes(Document(attestation: attestation, publicKey: publicKey))
        let sleep = sleep
        return try await withThrowingTaskGroup(of: Bool?.self) { group in
            group.addTask { try await ask(document) }
            group.addTask {
                try await sleep(Self.limit)
                return nil
            }
            defer { group.cancelAll() }
            guard let isGenuine = try await group.next() ?? nil else {
                throw Failure(message: "it gave no answer within \(Self.limit)")
            }
            return isGenuine
        }
    }

    private func ask(_ document: [UInt8]) async throws -> Bool {
        switch verifier.place {
        case .command(let path): try await run(path, document)
        case .address(let url): try await post(to: url, document)
        }
    }

    /// When it is cancelled, it ends the program and what that has started.
    private func run(_ path: String, _ document: [UInt8]) async throws -> Bool {
        #if canImport(Subprocess)
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [
            .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)
        ]
        let status: TerminationStatus
        do {
            status = try await Subprocess.run(
                .path(FilePath(path)),
                platformOptions: options,
                // Not through a pipe: the library traps if the program ends before it has read all of it.
                input: .fileDescriptor(try Self.file(document), closeAfterSpawningProcess: true),
                output: .discarded,
                error: .discarded
            ).terminationStatus
        } catch {
            try Task.checkCancellation()
            throw Failure(message: "it cannot be run: \(error)")
        }
        switch status {
        case .exited(0): return true
        case .exited(1): return false
        default: throw Failure(message: "it ended with \(status)")
        }
        #else
        throw Failure(message: "no program can be run on this platform")
        #endif
    }

    #if canImport(Subprocess)
    /// A file without a name, to be read from its beginning.
    private static func file(_ content: [UInt8]) throws -> FileDescriptor {
        let path = FileManager.default.temporaryDirectory.appending(path: "attestation-\(UUID())").path
        let file = try FileDescriptor.open(
            FilePath(path),
            .readWrite,
            options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: .ownerReadWrite
        )
        do {
            try FileManager.default.removeItem(atPath: path)
            try file.writeAll(content)
            try file.seek(offset: 0, from: .start)
            return file
        } catch {
            try file.close()
            throw error
        }
    }
    #endif

    private func post(to url: String, _ document: [UInt8]) async throws -> Bool {
        let options = client.options.with {
            $0.timeouts.whole = Self.limit
            $0.maximumBodySize = 65_536
        }
        let reply: CurlReply
        do {
            let fields: HTTPFields = [.contentType: "application/json"]
            let request = try HTTPRequest(.post, url: url, headerFields: fields)
            reply = try await client.send(request, body: .bytes(document), options: options)
        } catch {
            try Task.checkCancellation()
            throw Failure(message: "it does not answer: \(error)")
        }
        switch reply.head.status.code {
        case 200..<300: return true
        case 403: return false
        case let status: throw Failure(message: "it answers with \(status)")
        }
    }
}
#endif
