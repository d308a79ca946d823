#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs a test with a client, and shuts it down after it.
func withClient<Result>(
    _ configuration: CurlConfiguration = .init(),
    _ body: (CurlClient) async throws -> Result
) async throws -> Result {
    let client = CurlClient(configuration: configuration)
    do {
        let result = try await body(client)
        #expect(await client.census().transfersInFlight == 0)
        await client.shutdown()
        return result
    } catch {
        await client.shutdown()
        throw error
    }
}

/// The ``CurlError`` that a call throws; fails the test when it throws none.
func curlError(_ body: () async throws -> some Any) async throws -> CurlError {
    try #require(await #expect(throws: CurlError.self) { _ = try await body() })
}

extension ServerConnection {
    func reply(_ body: [UInt8]) {
        send(Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body)
    }
}

/// Fast in a debug build too.
func isEachByte(of bytes: CurlBytes, _ value: UInt8) -> Bool {
    bytes.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return true }
        return bytes[0] == value && memcmp(start, start + 1, bytes.count - 1) == 0
    }
}

/// Fast in a debug build too.
func isSame(_ bytes: CurlBytes, _ expected: [UInt8]) -> Bool {
    bytes.count == expected.count
        && bytes.withUnsafeBytes { bytes in
            expected.withUnsafeBytes { expected in
                guard let left = bytes.baseAddress, let right = expected.baseAddress else { return true }
                return memcmp(left, right, bytes.count) == 0
            }
        }
}

func setEnvironment(_ name: String, _ value: String) { setenv(name, value, 1) }

/// For `mkstemp` and `mkdtemp`.
private func temporaryTemplate() -> [CChar] {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    return Array("\(folder)/cofferdam-curl-XXXXXX".utf8CString)
}

/// A file that is deleted with this value.
final class TemporaryFile: Sendable {
    let path: String

    init(_ content: [UInt8]) throws {
        var template = temporaryTemplate()
        let file = mkstemp(&template)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var written = 0
        while file >= 0, written < content.count {
            let count = content[written...].withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            written += count
        }
        guard file >= 0, close(file) == 0, written == content.count else { throw ServerFailure(step: "mkstemp") }
    }

    deinit { unlink(path) }
}

/// A folder that is deleted with this value, together with its files.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        var template = temporaryTemplate()
        guard mkdtemp(&template) != nil else { throw ServerFailure(step: "mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        guard let directory = opendir(path) else { return }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            unlink("\(path)/\(name)")
        }
        closedir(directory)
        rmdir(path)
    }

    func write(_ text: String, to name: String) throws {
        guard let file = fopen("\(path)/\(name)", "w") else { throw ServerFailure(step: "fopen") }
        fputs(text, file)
        fclose(file)
    }

    func read(_ name: String) throws -> String { try TextFile.read("\(path)/\(name)") }
}
#endif
