#if Curl
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// `openssl s_server`, which answers each request with a page about its connection.
final class TLSServer: Sendable {
    let port: Int
    /// The certificate of its authority, as a file.
    var certificate: String { authority.certificate }
    private let authority: TestAuthority
    private let process: pid_t
    private let output: Int32

    static var isAvailable: Bool { OpenSSL.isAvailable }

    /// By default with a certificate for 127.0.0.1.
    ///
    /// - Parameter arguments: additional arguments for `s_server`.
    init(_ authority: TestAuthority? = nil, _ identity: TestAuthority.Identity? = nil, arguments: [String] = []) throws
    {
        let authority = try authority ?? TestAuthority()
        let identity = try identity ?? authority.issue()
        self.authority = authority
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw ServerFailure(step: "pipe") }
        let words = ["s_server", "-accept", "127.0.0.1:0", "-www", "-cert", identity.certificate, "-key", identity.key]
        defer { close(ends[1]) }
        output = ends[0]
        process = try OpenSSL.spawn(words + arguments, input: nil, output: ends[1])
        guard let port = Self.port(in: output) else {
            OpenSSL.end(process)
            throw ServerFailure(step: "openssl s_server")
        }
        self.port = port
    }

    deinit {
        OpenSSL.end(process)
        close(output)
    }

    var url: String { "https://127.0.0.1:\(port)/" }

    /// From the line `ACCEPT 127.0.0.1:40123`.
    private static func port(in output: Int32) -> Int? {
        var text = ""
        var block = [UInt8](repeating: 0, count: 256)
        while true {
            let count = read(output, &block, block.count)
            guard count > 0 else { return nil }
            text += String(decoding: block[..<count], as: UTF8.self)
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            where line.hasPrefix("ACCEPT") {
                return line.lastIndex(of: ":").flatMap { Int(line[line.index(after: $0)...].filter(\.isNumber)) }
            }
        }
    }
}
#endif
