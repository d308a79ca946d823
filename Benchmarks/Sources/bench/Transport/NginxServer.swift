import Foundation
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// nginx on free ports of loopback, with files of given sizes, in a temporary folder.
struct NginxServer {
    struct File: Hashable {
        let name: String
        let size: Int
    }

    /// The certificate authority of the TLS ports; `nil` if no certificate could be created, so that there are none.
    let authority: String?
    private let ports: Ports
    private let folder: URL

    /// Starts nginx, and stops it and deletes its folder when `body` has returned.
    ///
    /// A shell in between does the same when its standard input ends, however this process ends.
    ///
    /// - Throws: what `body` throws; ``TransportFailure`` if nginx is missing or does not start.
    static func with<Value: Sendable>(
        files: Set<File>,
        _ body: (NginxServer) async throws -> Value
    ) async throws -> Value {
        let nginx = try executable()
        let server = try await NginxServer(files: files)
        let result = try await Subprocess.run(
            .path("/bin/sh"),
            arguments: ["-c", script, "sh", nginx, server.folder.path()],
            input: .inputWriter,
            output: .currentStandardError,
            error: .currentStandardError
        ) { execution in
            let result: Result<Value, any Error>
            do {
                try await server.waitUntilReady()
                result = .success(try await body(server))
            } catch {
                result = .failure(error)
            }
            try await execution.standardInputWriter.finish()
            return result
        }
        return try result.closureResult.get()
    }

    private init(files: Set<File>) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "cofferdam-bench-\(UUID().uuidString)")
        ports = Ports(
            plain: try LoopbackListener.freePort(),
            shared: try LoopbackListener.freePort(),
            fresh: try LoopbackListener.freePort(),
            resumed: try LoopbackListener.freePort()
        )
        try Self.fill(folder, files: files)
        authority =
            await Self.makeCertificate(in: folder) ? folder.appending(path: "certificate.pem").path() : nil
        let configuration = Self.configuration(ports, withTLS: authority != nil)
        try Data(configuration.utf8).write(to: folder.appending(path: "nginx.conf"))
    }

    func url(of file: String, over connection: Scenario.Connection = .kept) -> String {
        switch connection {
        case .kept: "http://127.0.0.1:\(ports.plain)/\(file)"
        case .shared: "https://127.0.0.1:\(ports.shared)/\(file)"
        case .fresh: "https://127.0.0.1:\(ports.fresh)/\(file)"
        case .resumed: "https://127.0.0.1:\(ports.resumed)/\(file)"
        }
    }

    private struct Ports {
        let plain: Int
        let shared: Int
        let fresh: Int
        let resumed: Int
    }

    private static let script = """
        trap '' INT TERM HUP
        "$1" -p "$2" -e error.log -c nginx.conf &
        read -r _
        kill "$!" 2>/dev/null
        wait "$!"
        rm -rf -- "$2"
        """

    private static func configuration(_ ports: Ports, withTLS: Bool) -> String {
        let scratch = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \($0);" }
        let certificate = "ssl_certificate certificate.pem; ssl_certificate_key key.pem;"
        let secured = """
            server { listen 127.0.0.1:\(ports.shared) ssl http2; \(certificate) }
            server { listen 127.0.0.1:\(ports.fresh) ssl; \(certificate) keepalive_timeout 0; ssl_session_tickets off; }
            server { listen 127.0.0.1:\(ports.resumed) ssl; \(certificate) keepalive_timeout 0; }
            """
        return """
            daemon off;
            master_process off;
            worker_processes 1;
            pid nginx.pid;
            error_log error.log warn;
            events { worker_connections 8192; }
            http {
            access_log off;
            sendfile on;
            tcp_nopush on;
            keepalive_requests 1000000000;
            keepalive_timeout 600s;
            default_type application/octet-stream;
            root files;
            \(scratch.joined(separator: " "))
            server { listen 127.0.0.1:\(ports.plain) backlog=4096; }
            \(withTLS ? secured : "")
            }
            """
    }

    /// - Returns: whether openssl is installed and has created a self-signed certificate.
    private static func makeCertificate(in folder: URL) async -> Bool {
        let arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj",
            "/CN=cofferdam-bench", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out",
            "certificate.pem",
        ]
        do {
            let result = try await Subprocess.run(
                .name("openssl"),
                arguments: Arguments(arguments),
                workingDirectory: FilePath(folder.path()),
                output: .discarded
            )
            return result.terminationStatus.isSuccess
        } catch {
            return false
        }
    }

    private static func executable() throws -> String {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        guard let found = folders.map({ "\($0)/nginx" }).first(where: FileManager.default.isExecutableFile) else {
            throw TransportFailure("nginx was not found. As root: apt-get install --no-install-recommends nginx-light")
        }
        return found
    }

    private static func fill(_ folder: URL, files: Set<File>) throws {
        let root = folder.appending(path: "files")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        for file in files {
            let url = root.appending(path: file.name)
            try Data().write(to: url)
            let handle = try FileHandle(forWritingTo: url)
            try handle.truncate(atOffset: UInt64(file.size))
            try handle.close()
        }
    }

    /// nginx writes its process id once it listens.
    private func waitUntilReady() async throws {
        for _ in 0..<100 {
            if FileManager.default.fileExists(atPath: folder.appending(path: "nginx.pid").path()) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        let log = try? String(contentsOf: folder.appending(path: "error.log"), encoding: .utf8)
        throw TransportFailure("nginx does not start. Its log: \(log ?? "none")")
    }
}
