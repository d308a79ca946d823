#if Sandbox
/// The sessions. Tokens are self-contained, under a checksum of the seed, so that a new sandbox with the same seed
/// accepts the tokens of the old one.
struct SessionRegister: Sendable, Codable {
    private let checksum: Checksum
    /// Strictly increasing; microseconds of the service's clock where that is possible.
    private var lastSerial: Int64 = 0
    private var usedRefreshTokens: Set<Int64> = []
    /// The last grant for a token under a client's key, by the token's serial.
    private var keyedGrants: [Int64: KeyedGrant] = [:]
    /// v1's tokens that have been exchanged.
    private(set) var exchangedTokens: Set<Int64> = []
    private var revokedFamilies: Set<Int64> = []
    /// v2's access tokens up to this serial are expired.
    private var expiredUpTo: Int64 = 0
    /// Sessions up to this serial are revoked.
    private var revokedUpTo: Int64 = 0
    /// The signatures of the URLs issued.
    private(set) var signatures: [String] = []
    /// The users that the control interface has added; they are not stored.
    var added: [String: User] = [:]

    private enum CodingKeys: CodingKey {
        case checksum, lastSerial, usedRefreshTokens, keyedGrants, exchangedTokens, revokedFamilies, expiredUpTo
        case revokedUpTo, signatures
    }

    func user(named id: String) -> User? { added[id] ?? User.named(id) }

    init(seed: UInt64) { checksum = Checksum(seed: seed) }

    private mutating func serial(at moment: Timestamp) -> Int64 {
        lastSerial = max(lastSerial + 1, moment.milliseconds * 1000)
        return lastSerial
    }

    // MARK: v1

    private static let year: Duration = .seconds(365 * 86_400)

    mutating func makeLegacyToken(for user: User, at moment: Timestamp) -> String {
        let expiry = moment + Self.year
        return checksum.sealed(["v1", user.id, String(serial(at: moment)), String(expiry.milliseconds)])
    }

    func user(legacyToken token: String, at moment: Timestamp) throws(Refusal) -> User {
        guard let fields = checksum.opened(token), fields.count == 4, fields[0] == "v1",
            let user = user(named: fields[1]), let serial = Int64(fields[2]), let expiry = Int64(fields[3])
        else { throw Refusal(.unauthenticated, "not a token of this service") }
        guard serial > revokedUpTo else { throw Refusal(.unauthenticated, "the session was revoked") }
        guard moment.milliseconds < expiry else { throw Refusal(.tokenExpired, "the token has expired") }
        return user
    }

    // MARK: v2

    struct Grant: Sendable, Codable {
        let user: User
        let accessToken: String
        let refreshToken: String
    }

    private struct KeyedGrant: Sendable, Codable {
        let key: String
        let grant: Grant
    }

    mutating func signIn(_ user: User, lifetime: Duration, at moment: Timestamp) -> Grant {
        grant(user, family: serial(at: moment), lifetime: lifetime, at: moment)
    }

    private mutating func grant(_ user: User, family: Int64, lifetime: Duration, at moment: Timestamp) -> Grant {
        let expiry = String((moment + lifetime).milliseconds)
        let family = String(family)
        return Grant(
            user: user,
            accessToken: checksum.sealed(["a2", user.id, family, String(serial(at: moment)), expiry]),
            refreshToken: checksum.sealed(["r2", user.id, family, String(serial(at: moment))])
        )
    }

    func user(accessToken token: String, at moment: Timestamp) throws(Refusal) -> User {
        guard let fields = checksum.opened(token), fields.count == 5, fields[0] == "a2",
            let user = user(named: fields[1]), let family = Int64(fields[2]), let serial = Int64(fields[3]),
            let expiry = Int64(fields[4])
        else { throw Refusal(.unauthenticated, "not an access token of this service") }
        guard isAlive(family) else { throw Refusal(.unauthenticated, "the session was revoked") }
        guard serial > expiredUpTo, moment.milliseconds < expiry else {
            throw Refusal(.tokenExpired, "the access token has expired")
        }
        return user
    }

    /// Exchanges a refresh token for a new pair. A token that was used before revokes its whole family, unless it is
    /// repeated under the same key and the new tokens are still unused.
    mutating func refresh(
        _ token: String,
        key: String? = nil,
        lifetime: Duration,
        at moment: Timestamp
    ) throws(Refusal) -> Grant {
        let (user, family, serial) = try opened(refreshToken: token)
        if isAlive(family), let again = try repeatedGrant(of: serial, key: key) { return again }
        guard !usedRefreshTokens.contains(serial) else {
            revokedFamilies.insert(family)
            throw Refusal(.tokenReused, "the refresh token was used before: the session is revoked")
        }
        guard isAlive(family) else { throw Refusal(.unauthenticated, "the session was revoked") }
        usedRefreshTokens.insert(serial)
        let grant = grant(user, family: family, lifetime: lifetime, at: moment)
        if let key { keyedGrants[serial] = KeyedGrant(key: key, grant: grant) }
        return grant
    }

    /// Creates a session of v2 for a token of v1, which stays valid in v1. Once per token; the same key returns the
    /// same session again while its refresh token is unused.
    mutating func exchange(
        legacyToken token: String,
        key: String?,
        lifetime: Duration,
        at moment: Timestamp
    ) throws(Refusal) -> Grant {
        let user = try user(legacyToken: token, at: moment)
        guard let serial = checksum.opened(token).flatMap({ Int64($0[2]) }) else {
            throw Refusal(.unauthenticated, "not a token of this service")
        }
        if let again = try repeatedGrant(of: serial, key: key) { return again }
        guard exchangedTokens.insert(serial).inserted else {
            throw Refusal(.tokenReused, "the token was exchanged before")
        }
        let grant = signIn(user, lifetime: lifetime, at: moment)
        if let key { keyedGrants[serial] = KeyedGrant(key: key, grant: grant) }
        return grant
    }

    /// Returns the token's grant under that key, if the new refresh token is still valid.
    private func repeatedGrant(of serial: Int64, key: String?) throws(Refusal) -> Grant? {
        guard let key, let known = keyedGrants[serial], known.key == key else { return nil }
        let next = try opened(refreshToken: known.grant.refreshToken)
        return usedRefreshTokens.contains(next.serial) || !isAlive(next.family) ? nil : known.grant
    }

    /// Revokes the token's family; has no effect if it is revoked already.
    mutating func revoke(_ token: String) throws(Refusal) {
        revokedFamilies.insert(try opened(refreshToken: token).family)
    }

    private func opened(refreshToken token: String) throws(Refusal) -> (user: User, family: Int64, serial: Int64) {
        guard let fields = checksum.opened(token), fields.count == 4, fields[0] == "r2",
            let user = user(named: fields[1]), let family = Int64(fields[2]), let serial = Int64(fields[3])
        else { throw Refusal(.unauthenticated, "not a refresh token of this service") }
        return (user, family, serial)
    }

    private func isAlive(_ family: Int64) -> Bool { family > revokedUpTo && !revokedFamilies.contains(family) }

    // MARK: For the control interface

    /// Returns the owner of a token, of either kind, even if it expired; nil for a token of another service.
    func owner(ofToken token: String) -> String? {
        guard let fields = checksum.opened(token), fields.count > 1 else { return nil }
        return user(named: fields[1])?.id
    }

    mutating func expireAccessTokens(at moment: Timestamp) { expiredUpTo = serial(at: moment) }

    mutating func revokeAll(at moment: Timestamp) { revokedUpTo = serial(at: moment) }

    // MARK: Signed addresses

    static let signatureLifetime: Duration = .seconds(900)

    /// Returns a query that allows fetching one picture for fifteen minutes; it differs each time.
    mutating func signature(
        forPictureOf uuid: String,
        at moment: Timestamp
    ) -> (expires: String, signature: String, expiry: Timestamp) {
        let microseconds = serial(at: moment) + Self.signatureLifetime.milliseconds * 1000
        let expires = String(microseconds)
        let signature = checksum("picture.\(uuid.lowercased()).\(expires)")
        signatures.append(signature)
        return (
            expires, signature,
            Timestamp(milliseconds: microseconds / 1000)
        )
    }

    func checkSignature(_ signature: String, expires: String, uuid: String, at moment: Timestamp) throws(Refusal) {
        guard let microseconds = Int64(expires), checksum("picture.\(uuid.lowercased()).\(expires)") == signature else {
            throw Refusal(.forbidden, "the signature is not valid")
        }
        guard moment.milliseconds < microseconds / 1000 else {
            throw Refusal(.signatureExpired, "the address has expired")
        }
    }
}
#endif
