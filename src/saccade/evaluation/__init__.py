"""Metrics, confidence intervals and reports: outputs and references in, scores out.

evaluate.py                scores a set of outputs by every metric of a task
report.py                  the result as text and as JSON
metrics.py                 the catalogue of metrics by name
metric_score.py            one score with its interval and signature; ratios of counts
examples.py                lines grouped into examples with one or more references
bleu.py                    BLEU and chrF by sacrebleu; the paper's compound-split BLEU
accuracy.py                exact match and accuracy
bracket_score.py           labelled bracket F1 of trees, as EVALB counts
error_rates.py             edit distance, phoneme error rate, word error rate
forecast_error.py          errors of forecasts, beside those of repeating the last value and the last period
lead.py                    the lead baseline of summarisation
perplexity.py              perplexity per token and per word
alignment_error.py         alignment error rate (AER)
attention_correctness.py   the weight on the right words
faithfulness.py            whether outputs depend on what is attended to
bootstrap.py               confidence intervals by bootstrap resampling
confusion_matrix.py        which label was predicted for which
length_buckets.py          scores by source length
"""
