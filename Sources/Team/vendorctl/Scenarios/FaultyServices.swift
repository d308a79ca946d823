#if Sandbox
import Cofferdam
import CofferdamRehearsal
import SanctuaryDomain
import SanctuaryOperations

/// Returns the ports for the rehearsal's traffic, with a scenario's faults injected into their calls.
func faultyServices(_ clean: SanctuaryServices, _ faults: FaultInjector) -> SanctuaryServices {
    var services = clean
    services.catalogue = Intercepted(clean.catalogue, by: [faults])
    services.photos = Intercepted(clean.photos, by: [faults])
    services.orders = Intercepted(clean.orders, by: [faults])
    services.messages = Intercepted(clean.messages, by: [faults])
    return services
}
#endif
