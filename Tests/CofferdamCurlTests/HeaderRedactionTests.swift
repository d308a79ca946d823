#if Curl
import CofferdamCurl
import HTTPTypes
import Logging
import Testing

struct HeaderRedactionTests {
    @Test(arguments: [
        "Authorization", "PROXY-AUTHORIZATION", "cookie", "Set-Cookie", "X-Api-Key", "X-Auth", "X-Vault-Token",
        "X-Client-Secret", "X-Password-Hash", "X-Amz-Credential", "Idempotency-Key", "X-Session-ID", "X-Amz-Signature",
        "Authentication-Info", "WWW-Authenticate", "Location", "Content-Location", "Referer", "Refresh", "Link",
        "X-Original-URL", "X-Request-URI", "OK-ACCESS-PASSPHRASE", "KC-API-PASSPHRASE", "OK-ACCESS-SIGN", "X-DB-Passwd",
        "DPoP", "DPoP-Nonce", "X-OTP", "X-GitHub-OTP", "X-Shopify-Hmac-Sha256", "Client-Assertion",
    ])
    func `A value that may hold a secret, or a path, is redacted`(name: String) throws {
        let name = try #require(HTTPField.Name(name))
        let shown = HeaderRedaction().metadata(of: [name: "private", name: "private"])
        #expect(shown == .dictionary([name.canonicalName: "<redacted>"]))
    }

    @Test(arguments: [
        "Accept", "Content-Type", "Content-Length", "Retry-After", "ETag", "Server", "User-Agent", "Cache-Control",
        "Strict-Transport-Security", "traceparent", "X-Curled", "X-Robots-Tag", "X-Design-Version",
        "Permissions-Policy", "Access-Control-Allow-Methods", "X-Powered-By",
    ])
    func `Harmless transport headers are shown`(name: String) throws {
        let name = try #require(HTTPField.Name(name))
        let shown = HeaderRedaction().metadata(of: [name: "a", name: "b"])
        #expect(shown == .dictionary([name.canonicalName: "a, b"]))
    }

    @Test func `A user's own list is respected`() throws {
        let name = try #require(HTTPField.Name("X-Patient"))
        let same = try #require(HTTPField.Name("x-PATIENT"))
        #expect(!HeaderRedaction().isRedacted(name))
        #expect(HeaderRedaction([same]).isRedacted(name))
    }
}
#endif
