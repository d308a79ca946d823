// So that an app needs one import: plans, stages and readings are what it tells an upgrade and hears from it.
@_exported public import CofferdamGate
