// The resources of the interface are part of the library: an application imports `KairanClient` alone.
@_exported public import KairanInterface
