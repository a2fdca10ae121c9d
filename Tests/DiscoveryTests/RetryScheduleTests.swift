import Testing

@testable import Discovery

@Suite struct RetryScheduleTests {
    private let start = ContinuousClock.now

    @Test func `waits double up to the bound, and begin anew after a success`() {
        var schedule = RetrySchedule(first: .seconds(1), last: .seconds(5))
        #expect(schedule.due == nil)
        for wait in [1, 2, 4, 5, 5] {
            schedule.failed(at: start)
            #expect(schedule.due == start.advanced(by: .seconds(wait)))
        }
        schedule.succeeded()
        #expect(schedule.due == nil)
        schedule.failed(at: start)
        #expect(schedule.due == start.advanced(by: .seconds(1)))
    }

    @Test func `an attempt is due at its time and not while it is being made`() {
        var schedule = RetrySchedule(first: .seconds(1), last: .seconds(5))
        #expect(!schedule.isDue(at: start))
        schedule.failed(at: start)
        #expect(!schedule.isDue(at: start.advanced(by: .milliseconds(999))))
        #expect(schedule.isDue(at: start.advanced(by: .seconds(1))))
        schedule.began()
        #expect(!schedule.isDue(at: start.advanced(by: .seconds(9))))
    }
}
