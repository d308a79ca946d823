#if Fleet
import Cofferdam
import CofferdamCurl
import CofferdamFleet
import CofferdamUpgrade
import Testing
import TestSupport

@Suite struct PrometheusAuthorizationTests {
    private let server: LoopbackServer
    private let requests = Log<String>()

    init() throws { server = try LoopbackServer() }

    private func ask(_ authorization: PrometheusAuthorization?, answering status: Int, _ body: String) async throws {
        server.answers { [requests] request in
            requests.add(request)
            return (status, body)
        }
        let evidence = PrometheusEvidence(
            endpoint: "http://\(server.address)/",
            client: CurlClient(),
            authorization: authorization,
            job: "shop",
            instances: ["a"]
        )
        _ = try await evidence.evidence(
            of: Snapshots.state("c", at: .shadow(sample: .all), epoch: 1),
            seconds: 1,
            now: 1
        )
    }

    /// The credentials of each request.
    private var shown: [String] {
        requests.entries.map { request in
            request.split(separator: "\r\n").first { $0.lowercased().hasPrefix("authorization:") }.map(String.init)
                ?? ""
        }
    }

    private static let nothing = #"{"status":"success","data":{"resultType":"vector","result":[]}}"#

    @Test(
        arguments: [
            (nil, ""), (.bearer("abc.DEF-_~+/="), "authorization: Bearer abc.DEF-_~+/="),
            // RFC 7617, section 2, and its example in UTF-8.
            (.basic(user: "Aladdin", password: "open sesame"), "authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            (.basic(user: "test", password: "123£"), "authorization: Basic dGVzdDoxMjPCow=="),
            (.basic(user: "", password: ""), "authorization: Basic Og=="),
        ] as [(PrometheusAuthorization?, String)]
    )
    func `each query is authenticated`(authorization: PrometheusAuthorization?, header: String) async throws {
        try await ask(authorization, answering: 200, Self.nothing)
        #expect(!shown.isEmpty)
        for shown in shown {
            #expect(shown.replacing("Authorization", with: "authorization") == header)
        }
    }

    @Test(
        arguments: [
            (.bearer(""), "bearer token is empty"), (.bearer("xy zzy"), "space"), (.bearer("xyzzy\n"), "line end"),
            (.bearer("xyzzyé"), "non-ASCII"), (.basic(user: "a:b", password: "xyzzy"), "has a colon"),
        ] as [(PrometheusAuthorization, String)]
    )
    func `credentials that no header can hold are named, and not sent`(
        authorization: PrometheusAuthorization,
        says: String
    )
        async throws
    {
        let error = await #expect(throws: PrometheusError.self) {
            try await ask(authorization, answering: 200, Self.nothing)
        }
        #expect(error?.message.contains(says) == true)
        #expect(error?.description.contains("zzy") == false)
        #expect(requests.entries.isEmpty)
    }

    @Test(
        arguments: [
            (401, "Unauthorized: sesame"), (403, #"{"status":"error","error":"sesame is unknown"}"#),
            (401, #"{"status":"error","error":"Basic YW1hcmE6c2VzYW1l"}"#),
            (200, #"{"status":"success","warnings":["sesame ends"],"data":{"resultType":"vector","result":[]}}"#),
            (200, #"{"status":"success","data":{"resultType":"sesame","result":[]}}"#),
        ]
    )
    func `no error reveals the secret, even if the server repeats it`(status: Int, body: String) async throws {
        for authorization in [PrometheusAuthorization.bearer("sesame"), .basic(user: "amara", password: "sesame")] {
            let error = try #require(
                await #expect(throws: PrometheusError.self) { try await ask(authorization, answering: status, body) }
            )
            var text = "\(error)"
            dump(error, to: &text)
            #expect(!text.contains("sesame"))
            #expect(status == 200 || text.contains("\(status)"))
            if authorization == .basic(user: "amara", password: "sesame") {
                #expect(!text.contains("YW1hcmE6c2VzYW1l"))
            }
        }
    }

    @Test func `its description does not reveal the secret`() {
        let evidence = PrometheusEvidence(
            endpoint: "http://127.0.0.1:1",
            client: CurlClient(),
            authorization: .bearer("sesame"),
            job: "shop",
            instances: []
        )
        let basic = PrometheusAuthorization.basic(user: "amara", password: "sesame")
        var text = "\(basic) \(PrometheusAuthorization.bearer("sesame")) \(String(reflecting: basic))"
        dump(basic, to: &text)
        dump(PrometheusAuthorization.bearer("sesame"), to: &text)
        dump(evidence, to: &text)
        #expect(!text.contains("sesame"))
        #expect(text.hasPrefix("amara a bearer token"))
    }
}
#endif
