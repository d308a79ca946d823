#if Sandbox
import CofferdamCurl
import HTTPTypes
import Testing

@testable import MenagerieService

/// Tests how an independent client handles the faults.
@Suite(.timeLimit(.minutes(5)))
struct CurlFaultTests {
    private func send(
        to service: RunningService,
        _ fault: Fault,
        times: Int = 1,
        _ change: (inout CurlOptions) -> Void = { _ in }
    ) async throws -> CurlReply {
        service.control.inject(fault, on: .getAnimal, times: times)
        var options = CurlOptions()
        change(&options)
        var request = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: String(service.url.dropFirst("http://".count)),
            path: "/v1/animals/1"
        )
        if let key = HTTPField.Name("X-Menagerie-Key") { request.headerFields[key] = "k" }
        // A separate client: one that has used the connection before would repeat the request.
        return try await CurlClient().send(request, options: options)
    }

    @Test(
        "libcurl tells the faults of the wire apart",
        arguments: [
            (Fault.reset, [CurlError.Code.connectionLost]), (.emptyReply, [.connectionLost]),
            (.commitThenCut, [.connectionLost]), (.truncated, [.truncated]), (.cut(afterBytes: 3), [.truncated]),
            (.cut(afterBytes: 3, .reset), [.truncated, .connectionLost]), (.wrongContentLength(by: 9), [.truncated]),
            (.conflictingLengths, [.protocol]), (.malformedChunk, [.protocol, .truncated, .unknown, .connectionLost]),
        ]
    )
    func errors(fault: Fault, codes: [CurlError.Code]) async throws {
        try await withService { service, _ async throws in
            let error = await #expect(throws: CurlError.self) { try await self.send(to: service, fault) }
            #expect(error.map { codes.contains($0.code) } == true, "\(String(describing: error))")
            #expect(service.control.calls(of: .getAnimal) == 1)
        }
    }

    @Test("A gzip bomb is larger than it looks, and right to the last bit")
    func gzipBomb() async throws {
        try await withService { service, _ async throws in
            let whole = try await send(to: service, .gzipBomb(bytes: 3_000_000))
            #expect(whole.body.count == 3_000_000)
            let error = await #expect(throws: CurlError.self) {
                try await self.send(to: service, .gzipBomb(bytes: 64 << 20)) { $0.maximumBodySize = 1 << 20 }
            }
            #expect(error?.code == .tooLarge)
        }
    }

    @Test("A redirect loop ends when the client detects it, and a black hole at its time-out")
    func redirectLoop() async throws {
        try await withService { service, _ async throws in
            let error = await #expect(throws: CurlError.self) {
                try await self.send(to: service, .redirectLoop, times: 100) { $0.redirects = .followed(upTo: 5) }
            }
            #expect(error?.code == .redirect)
            #expect((1...6).contains(service.control.calls(of: .getAnimal)))
            service.control.clearFaults()
            let late = await #expect(throws: CurlError.self) {
                try await self.send(to: service, .hold) { $0.timeouts.firstByte = .milliseconds(50) }
            }
            #expect(late?.code == .timeout)
            await service.control.waitForHeld(exactly: 0)
        }
    }

    @Test("A body is encoded only for a client that accepts it, and decodes to what it was", arguments: [0, 1, 70_000])
    func encodings(size: Int) async throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 256) }
        try await withService { service, _ async throws in
            let authority = String(service.url.dropFirst("http://".count))
            let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/v1/photos/1")
            service.control.setPhoto(bytes, contentType: "image/x-test", animal: 1)
            for coding in ContentCoding.allCases {
                service.control.inject(.encoded(coding), on: .photo, times: 2)
                for accepts in [true, false] {
                    var options = CurlOptions()
                    options.decompresses = accepts
                    let reply = try await CurlClient().send(request, options: options)
                    #expect(Array(reply.body) == bytes)
                    #expect(reply.head.headerFields[.contentEncoding] == (accepts ? coding.rawValue : nil))
                }
            }
        }
    }

    @Test("A stalled answer continues when it is released, and its caller may disconnect")
    func stall() async throws {
        try await withService { service, client async throws in
            let proper = try await client.get("/v1/animals/1").json
            async let reply = send(to: service, .stall(afterBytes: 5))
            await service.control.waitForHeld(exactly: 1)
            service.control.releaseHeld()
            #expect(try JSON(reading: Array(try await reply.body)) == proper)
            let gone = Task { try await self.send(to: service, .stall(afterBytes: 5)) }
            await service.control.waitForHeld(exactly: 1)
            gone.cancel()
            await #expect(throws: CancellationError.self) { try await gone.value }
            await service.control.waitForHeld(exactly: 0)
        }
    }

    @Test("An answer that dribbles or closes slowly, in chunks or encoded, is whole in the end")
    func slowness() async throws {
        try await withService { service, client async throws in
            let proper = try await client.get("/v1/animals/1").json
            let encoded = ContentCoding.allCases.map(Fault.encoded)
            for fault in [.dribble(), .slowClose(.milliseconds(5)), .delay(.milliseconds(5)), .chunked] + encoded {
                let reply = try await send(to: service, fault)
                #expect(try JSON(reading: Array(reply.body)) == proper)
            }
        }
    }
}
#endif
