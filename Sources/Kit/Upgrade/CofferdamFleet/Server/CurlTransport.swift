#if Fleet
public import CofferdamCurl  // sends requests through its CurlClient
public import CofferdamDevice  // extends its transports
import HTTPTypes

extension DeviceTransport {
    /// Sends requests through libcurl, for servers and command lines.
    ///
    /// - Parameter client: its own time-outs hold too, except that of the first byte.
    public static func curl(_ client: CurlClient) -> DeviceTransport {
        DeviceTransport { request, body, time in
            let options = client.options.with {
                $0.redirects = .returned
                $0.timeouts.connect = min(time, $0.timeouts.connect ?? time)
                $0.timeouts.firstByte = time
                $0.timeouts.whole = time
            }
            do {
                let reply = try await client.send(request, body: body.isEmpty ? .empty : .bytes(body), options: options)
                return (reply.head, Array(reply.body))
            } catch let error as CurlError {
                throw DeviceTransportError("\(error)", wasSent: error.wasSent, cause: error)
            }
        }
    }
}
#endif
