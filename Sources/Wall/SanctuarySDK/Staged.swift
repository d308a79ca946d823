#if Staged
    import CofferdamUpgrade
    import SanctuaryDomain

    extension LinkedSDK {
        /// Both SDKs are linked; the variable `COFFERDAM_STAGE` says which one answers, and only that one is opened.
        static func services(at url: String, _ configuration: SDKConfiguration) async throws -> SanctuaryServices {
            let router = Router<SanctuaryServices>(
                legacy: { try await openV1(at: url, configuration) },
                candidate: { try await openV2(at: url, configuration) }
            )
            return try await router.port(at: stage(of: configuration.environment))
        }

        private static func stage(of environment: [String: String]) async throws -> Stage {
            do {
                return try await EnvironmentStageSource(read: { environment[$0] }).stage()
            } catch let error as StageError {
                throw SanctuaryError(.invalidRequest, error.message, subject: error.subject)
            }
        }
    }
#endif
