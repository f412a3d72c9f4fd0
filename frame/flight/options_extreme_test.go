package flight_test

import (
	"errors"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/flight"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/extreme"
)

// Every number of every option is taken, bounded, or refused by its name.
func TestNumbersOfOptions(t *testing.T) {
	extreme.Try(t, func(o flight.Options) error {
		o.Dir = t.TempDir()
		b, err := flight.Start(o)
		if err != nil {
			return err
		}
		b.Late(record.Record{Start: 1, Interval: time.Hour})
		b.Close()
		// A Least of hours is more than any frame takes.
		if len(b.Dumps()) != 1 && o.Least < time.Hour {
			return errors.New("no dump")
		}
		return nil
	})
}
