#if os(macOS) || os(Linux)
import Cofferdam
import Dispatch

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// One end of the connection over which a worker and its parent exchange lines.
package final class WorkerLink: Sendable {
    /// The descriptor of a worker's end.
    static let descriptorOfChild: Int32 = 3

    /// Nil once the link is closed.
    private let descriptor: Mutex<Int32?>

    init(_ descriptor: Int32) {
        #if canImport(Darwin)
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
        #endif
        self.descriptor = Mutex(descriptor)
    }

    /// Returns a worker's end, in a process that was started as a worker.
    package static func toParent() -> WorkerLink {
        // A process that the worker starts must not hold it open.
        _ = fcntl(descriptorOfChild, F_SETFD, FD_CLOEXEC)
        return WorkerLink(descriptorOfChild)
    }

    /// Returns the values that arrive, until the other end finishes, is closed, or sends something else.
    ///
    /// - Parameter onEnd: called on the link's own thread once nothing more will arrive.
    package func values<Value: Decodable & Sendable>(
        _ type: Value.Type,
        onEnd: @escaping @Sendable () -> Void = {}
    ) -> AsyncStream<Value> {
        let (values, continuation) = AsyncStream<Value>.makeStream()
        DispatchQueue(label: "cofferdam.worker.link").async { [self] in
            read { line in
                if let value = try? WorkerLine.value(type, of: line) {
                    continuation.yield(value)
                } else {
                    continuation.finish()
                }
            }
            continuation.finish()
            onEnd()
        }
        return values
    }

    /// Reads lines, blocking the thread until there are no more.
    func read(_ each: (String) -> Void) {
        guard let descriptor = descriptor.withLock(\.self) else { return }
        var unfinished: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(descriptor, &bytes, bytes.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            unfinished += bytes.prefix(count)
            while let end = unfinished.firstIndex(of: UInt8(ascii: "\n")) {
                each(String(decoding: unfinished[..<end], as: UTF8.self))
                unfinished.removeSubrange(...end)
            }
        }
    }

    /// Sends a line. It is dropped if the other end is gone, which shows where the answer is awaited.
    package func send(_ line: String) {
        descriptor.withLock { descriptor in
            guard let descriptor else { return }
            var rest = Array((line + "\n").utf8)[...]
            while !rest.isEmpty {
                #if os(Linux)
                let flags: Int32 = numericCast(MSG_NOSIGNAL)
                #else
                let flags: Int32 = 0
                #endif
                let count = rest.withUnsafeBytes { bytes in
                    #if canImport(Darwin)
                    Darwin.send(descriptor, bytes.baseAddress, bytes.count, flags)
                    #elseif canImport(Glibc)
                    Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
                    #else
                    Musl.send(descriptor, bytes.baseAddress, bytes.count, flags)
                    #endif
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Tells the other end that no line will follow.
    func finish() {
        descriptor.withLock { descriptor in
            if let descriptor { _ = shutdown(descriptor, numericCast(SHUT_WR)) }
        }
    }

    func close() {
        let open = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let open else { return }
        #if canImport(Darwin)
        Darwin.close(open)
        #elseif canImport(Glibc)
        Glibc.close(open)
        #else
        Musl.close(open)
        #endif
    }
}

/// The messages between a worker and its parent, each a line of JSON.
package enum WorkerLine {
    package static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// - Throws: `ProcessEnded` for a line that cannot be decoded.
    package static func value<Value: Decodable>(_ type: Value.Type = Value.self, of line: String) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(line.utf8))
        } catch {
            throw ProcessEnded(isCrash: false, "its process's report could not be read")
        }
    }
}
#endif
