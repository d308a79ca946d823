import Foundation

/// A failing disk, for tests in separate processes, because the settings apply to the whole process.
enum BadDisk {
    /// Makes every write fail as on a full disk, or succeed again.
    static func isFull(_ isFull: Bool) {
        // A write over the limit must not end the process.
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
        let resource = RLIMIT_FSIZE
        #endif
        guard getrlimit(resource, &limit) == 0 else { exit(90) }
        limit.rlim_cur = isFull ? 0 : limit.rlim_max
        guard setrlimit(resource, &limit) == 0 else { exit(91) }
    }

    /// Makes the directory and the files in it read-only, or writable again. Permissions do not apply to root: call
    /// ``leaveRoot()`` first.
    static func isReadOnly(_ isReadOnly: Bool, _ directory: String, files: Bool = true) throws {
        if !isReadOnly { try change(0o700, directory) }
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) where files {
            try change(isReadOnly ? 0o400 : 0o600, directory + "/" + name)
        }
        if isReadOnly { try change(0o500, directory) }
    }

    private static func change(_ permissions: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }

    /// Switches this process to an account without privileges.
    static func leaveRoot() {
        guard getuid() == 0 else { return }
        guard setgid(65_534) == 0, setuid(65_534) == 0 else { exit(92) }
    }
}
