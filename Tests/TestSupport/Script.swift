#if canImport(Subprocess)
import Subprocess
import Testing

/// Writes a shell script that can be executed.
///
/// Another process writes it. If this one did, a process that another test starts meanwhile could inherit the open
/// file, and Linux executes no file that is open for writing.
package func writeScript(_ text: String, to path: String, mode: String = "755") async throws {
    let written = try await Subprocess.run(
        .name("sh"),
        arguments: ["-c", #"cat >"$1" && chmod "$2" "$1""#, "sh", path, mode],
        input: .string("#!/bin/sh\n" + text),
        output: .discarded,
        error: .string(limit: 4_000)
    )
    try #require(written.terminationStatus.isSuccess, "\(written.standardError)")
}
#endif
