#if Fleet
/// The answer of a scripted Prometheus.
enum PrometheusAnswer {
    /// - Parameters:
    ///   - query: a range of values if it ends with one.
    ///   - series: the result, as JSON.
    static func success(_ query: String, _ series: [String] = []) -> (status: Int, body: [UInt8]) {
        // Nothing that is scripted has a past.
        let isRange = query.hasSuffix("]")
        let (type, result) = isRange ? ("matrix", "") : ("vector", series.joined(separator: ","))
        return (200, Array(#"{"status":"success","data":{"resultType":"\#(type)","result":[\#(result)]}}"#.utf8))
    }
}
#endif
