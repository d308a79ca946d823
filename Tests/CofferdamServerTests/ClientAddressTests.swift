#if Server
import CofferdamUpgrade
import HTTPTypes
import Testing
@testable import CofferdamServer

@Suite("The client's address behind proxies") struct ClientAddressTests {
    private static let proxies: TrustedProxies = {
        do { return try TrustedProxies(["192.0.2.1", "10.0.0.0/8", "2001:db8:f::/48"]) } catch {
            preconditionFailure("\(error)")
        }
    }()

    private static func client(_ peer: String, forwarded: [String] = [], forwardedFor: [String] = []) -> String {
        var headers = HTTPFields()
        for (name, values) in [("Forwarded", forwarded), ("X-Forwarded-For", forwardedFor)] {
            guard let name = HTTPField.Name(name) else { continue }
            for value in values { headers.append(HTTPField(name: name, value: value)) }
        }
        return proxies.client(of: peer, headers)
    }

    @Test(arguments: [
        (["198.51.100.7"], "198.51.100.7"),
        // What stands before the proxy's own word was written by the client.
        (["203.0.113.9, 198.51.100.7"], "198.51.100.7"), (["203.0.113.9", "198.51.100.7"], "198.51.100.7"),
        (["203.0.113.9, 198.51.100.7, 10.1.2.3"], "198.51.100.7"), (["10.1.2.3"], "10.1.2.3"),
        (["198.51.100.7:4711"], "198.51.100.7"), (["[2001:DB8::1]:4711"], "2001:db8::1"),
        (["2001:db8::1"], "2001:db8::1"), (["::ffff:198.51.100.7"], "198.51.100.7"), ([], "192.0.2.1"),
        (["203.0.113.9, unknown"], "192.0.2.1"), ([""], "192.0.2.1"), (["203.0.113.9,"], "192.0.2.1"),
    ])
    func `X-Forwarded-For of a trusted proxy counts from its end`(_ values: [String], _ client: String) {
        #expect(Self.client("192.0.2.1", forwardedFor: values) == client)
    }

    @Test(arguments: [
        (["for=198.51.100.7;proto=https;by=192.0.2.1"], "198.51.100.7"),
        (["proto=https; For=\"198.51.100.7:4711\""], "198.51.100.7"),
        (["for=203.0.113.9, for=\"[2001:db8:cafe::17]:4711\""], "2001:db8:cafe::17"),
        (["for=203.0.113.9", "for=198.51.100.7, for=10.1.2.3"], "198.51.100.7"),
        (["for=_hidden"], "192.0.2.1"), (["for=203.0.113.9, for=unknown"], "192.0.2.1"),
        (["for=203.0.113.9, proto=https"], "192.0.2.1"),
        (["host=\"a,for=203.0.113.9\";for=198.51.100.7"], "198.51.100.7"),
        // A quote that the client leaves open.
        (["for=203.0.113.9;host=\"", "for=198.51.100.7"], "192.0.2.1"),
        (["for=203.0.113.9;host=\"", "for=\"[2001:db8::1]\""], "192.0.2.1"),
        (["for=203.0.113.9;host=\"\\", "for=\"[2001:db8::1]\""], "192.0.2.1"),
    ])
    func `Forwarded of a trusted proxy counts from its end`(_ values: [String], _ client: String) {
        #expect(Self.client("192.0.2.1", forwarded: values) == client)
    }

    @Test func `a field that only the client wrote does not count`() {
        let forwarded = ["for=203.0.113.9"]
        #expect(Self.client("198.51.100.7", forwarded: forwarded, forwardedFor: ["203.0.113.9"]) == "198.51.100.7")
        #expect(Self.client("192.0.2.1", forwarded: forwarded, forwardedFor: ["198.51.100.7"]) == "192.0.2.1")
        #expect(Self.client("192.0.2.1", forwarded: forwarded, forwardedFor: ["203.0.113.9"]) == "203.0.113.9")
        #expect(Self.client("2001:db8:f:1::2", forwarded: forwarded) == "203.0.113.9")
        #expect(Self.client("2001:db8:e:1::2", forwarded: forwarded) == "2001:db8:e:1::2")
    }

    @Test(arguments: ["", "proxy", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "2001:db8::/129", "10.0.0"])
    func `a trusted proxy is an address or a network`(_ text: String) {
        #expect(throws: ControlPlaneError.self) { try TrustedProxies([text]) }
    }

    @Test func `addresses of one 64 of IPv6 share a bucket, those of IPv4 do not`() {
        let bucket = IPAddress.bucket
        #expect(bucket("2001:db8:1:2::1") == bucket("2001:db8:1:2:ffff:1:2:3"))
        #expect(bucket("fe80::1%eth0") == bucket("fe80::2"))
        #expect(bucket("2001:db8:1:2::1") != bucket("2001:db8:1:3::1"))
        #expect(bucket("192.0.2.1") != bucket("192.0.2.2"))
        #expect(bucket("::ffff:192.0.2.1") == bucket("192.0.2.1"))
        #expect(bucket("::ffff:192.0.2.1") != bucket("::ffff:192.0.2.2"))
    }

    @Test func `behind a trusted proxy each client has its own rate and its own line in the audit log`()
        async throws
    {
        try await TestServer.with({
            $0.addressRate = RequestRate(perSecond: 1, burst: 2)
            // The list is a constant that is valid.
            $0.trustedProxies = (try? TrustedProxies(["127.0.0.1"])) ?? TrustedProxies()
        }) { server async throws in
            func ask(_ client: String) async throws -> Int {
                let name = try #require(HTTPField.Name("X-Forwarded-For"))
                return try await server.get("/v1/refusals", as: nil, headers: [name: client]).status
            }
            for client in ["2001:db8:1:2::1", "2001:db8:1:2::2"] { #expect(try await ask(client) == 401) }
            #expect(try await ask("2001:db8:1:2::3") == 429)
            #expect(try await ask("203.0.113.9, 198.51.100.7") == 401)
            let addresses = try await server.plane.parts.refusals.last(4).map(\.address)
            #expect(addresses == ["198.51.100.7", "2001:db8:1:2::3", "2001:db8:1:2::2", "2001:db8:1:2::1"])
        }
    }

    @Test func `without a trusted proxy the fields do not count`() async throws {
        try await TestServer.with({ $0.addressRate = RequestRate(perSecond: 1, burst: 1) }) { server in
            let name = try #require(HTTPField.Name("X-Forwarded-For"))
            #expect(try await server.get("/v1/refusals", as: nil, headers: [name: "198.51.100.7"]).status == 401)
            #expect(try await server.get("/v1/refusals", as: nil, headers: [name: "198.51.100.8"]).status == 429)
        }
    }
}
#endif
