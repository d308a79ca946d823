#if Staged
import CofferdamUpgrade

/// A canary that by its buckets contains one user but not another.
struct SplitCanary {
    let stage: String
    let inside: String
    let outside: String

    init() throws {
        let bucketing = try Bucketing(salt: "sanctuary")
        let users = ["amara", "kenji", "noor"].sorted { bucketing.bucket(of: $0) < bucketing.bucket(of: $1) }
        (inside, outside) = (users[0], users[2])
        stage = "canary(\(bucketing.bucket(of: outside)))"
    }
}
#endif
