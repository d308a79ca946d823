import Foundation

/// nginx on a free port of loopback, with files of given sizes, in a temporary folder.
///
/// A shell stands between: when its stdin ends, however this process ends, it stops nginx and deletes the folder.
final class NginxServer {
    struct File {
        let name: String
        let size: UInt64
    }

    let port: Int
    private let process: Process
    private let lifeline: Pipe

    init(files: [File]) throws {
        let nginx = try Self.executable()
        let folder = FileManager.default.temporaryDirectory.appending(path: "cofferdam-bench-\(UUID().uuidString)")
        port = try LoopbackListener.freePort()
        try Self.fill(folder, files: files, configuration: Self.configuration(port: port))
        process = Process()
        lifeline = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", Self.script, "sh", nginx, folder.path()]
        process.standardInput = lifeline
        process.standardOutput = FileHandle.standardError
        try process.run()
        guard Self.waits(for: folder.appending(path: "nginx.pid")) else {
            let log = try? String(contentsOf: folder.appending(path: "error.log"), encoding: .utf8)
            throw TransportFailure("nginx does not start on port \(port). Its log: \(log ?? "none")")
        }
    }

    deinit {
        try? lifeline.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func url(of file: String) -> String { "http://127.0.0.1:\(port)/\(file)" }

    private static let script = """
        trap '' INT TERM HUP
        "$1" -p "$2" -e error.log -c nginx.conf &
        read -r _
        kill "$!" 2>/dev/null
        wait "$!"
        rm -rf -- "$2"
        """

    private static func configuration(port: Int) -> String {
        let scratch = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \($0);" }
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
                \(scratch.joined(separator: " "))
                server {
                    listen 127.0.0.1:\(port) backlog=4096;
                    root files;
                }
            }
            """
    }

    private static func executable() throws -> String {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        guard let found = folders.map({ "\($0)/nginx" }).first(where: FileManager.default.isExecutableFile) else {
            throw TransportFailure("nginx was not found. As root: apt-get install --no-install-recommends nginx-light")
        }
        return found
    }

    private static func fill(_ folder: URL, files: [File], configuration: String) throws {
        let root = folder.appending(path: "files")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        try Data(configuration.utf8).write(to: folder.appending(path: "nginx.conf"))
        for file in files {
            let url = root.appending(path: file.name)
            try Data().write(to: url)
            let handle = try FileHandle(forWritingTo: url)
            try handle.truncate(atOffset: file.size)
            try handle.close()
        }
    }

    /// nginx writes its number once it listens.
    private static func waits(for file: URL) -> Bool {
        for _ in 0..<100 {
            if FileManager.default.fileExists(atPath: file.path()) { return true }
            Thread.sleep(forTimeInterval: 0.05)
        }
        return false
    }
}
