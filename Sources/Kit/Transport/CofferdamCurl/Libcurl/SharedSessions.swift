#if Curl
import CLibcurl

/// The TLS sessions of a client's connections. Each new connection resumes the last session with the same server,
/// whichever handle that belonged to.
///
/// It has no lock: only the loop's thread uses it. It must outlive the handles.
final class SharedSessions {
    private let share: OpaquePointer

    /// Creates an empty store; `nil` if libcurl has no memory.
    init?() {
        guard let share = cofferdam_share_sessions() else { return nil }
        self.share = OpaquePointer(share)
    }

    deinit { curl_share_cleanup(UnsafeMutableRawPointer(share)) }

    func use(in options: inout EasyOptions) { options.set(CURLOPT_SHARE, pointer: UnsafeMutableRawPointer(share)) }
}
#endif
