package import Wire

/// Somebody for whom this machine keeps parcels.
package struct AdmissionStatus: Sendable, Hashable {
    /// Names the admission.
    package var admission: AdmissionID
    /// For whom it is, in the owner's words.
    package var name: String
    /// Bytes that are kept under it.
    package var storedByteCount: UInt64
    /// Bytes that would be kept.
    package var quotaByteCount: UInt64
    /// How many parcels are kept.
    package var parcelCount: UInt64
    /// Passes that it has given to those with whom it shares zones.
    package var passCount: UInt64
    /// Bytes that are kept under them, which do not count against the admission's.
    package var passByteCount: UInt64
    /// What they are kept in: `sqlite` or `jetstream`.
    package var backend: String
    /// Since when; milliseconds since 1970.
    package var sinceMilliseconds: UInt64

    /// Makes a status.
    /// - Parameters: as the properties of the same names.
    package init(
        admission: AdmissionID,
        name: String,
        storedByteCount: UInt64,
        quotaByteCount: UInt64,
        parcelCount: UInt64,
        passCount: UInt64 = 0,
        passByteCount: UInt64 = 0,
        backend: String,
        sinceMilliseconds: UInt64
    ) {
        self.admission = admission
        self.name = name
        self.storedByteCount = storedByteCount
        self.quotaByteCount = quotaByteCount
        self.parcelCount = parcelCount
        self.passCount = passCount
        self.passByteCount = passByteCount
        self.backend = backend
        self.sinceMilliseconds = sinceMilliseconds
    }
}
